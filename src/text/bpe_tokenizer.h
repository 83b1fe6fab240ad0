#pragma once

// The Tokenizer of a checked tokenizer.json. Immutable: any number of threads may use one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deepinfer/tokenizer.h"
#include "text/added_tokens.h"
#include "text/bpe.h"
#include "text/token_table.h"
#include "text/tokenizer_json.h"

namespace deepinfer {

class BpeTokenizer final : public Tokenizer {
 public:
  explicit BpeTokenizer(const TokenizerData& data);

  std::vector<std::int32_t> encode(std::string_view text, bool added_tokens) const override;
  std::string decode(const std::vector<std::int32_t>& ids) const override;
  int vocab_size() const override;
  std::optional<std::string_view> piece(std::int32_t id) const override;
  std::string_view bytes(std::int32_t id) const override;
  bool is_added(std::int32_t id) const override;
  std::optional<std::int32_t> added_token(std::string_view text) const override;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  /// Valid text without added tokens.
  void encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const;

  TokenTable table_;
  Bpe bpe_;
  AddedTokenMatcher raw_added_;
  AddedTokenMatcher normalized_added_;
  std::map<std::string, std::int32_t, std::less<>> added_ids_;
  // Pieces (raw bytes) taken whole; empty unless the file sets ignore_merges.
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> whole_pieces_;
};

/// Throws Error (bad_input) for an id outside [0, vocab_size).
void require_token_id(const Tokenizer& tokenizer, std::int32_t id);

}  // namespace deepinfer
