#pragma once

// Byte-level BPE from an official `tokenizer.json`, and its inverse.
//
// A Tokenizer is immutable and may be shared between threads. A Detokenizer belongs to one
// sequence.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

class Tokenizer {
 public:
  /// Reads `<directory>/tokenizer.json`. Throws Error (bad_input) naming file, field, expected,
  /// found.
  static std::shared_ptr<const Tokenizer> open(const std::string& directory);
  /// The same from the text of a tokenizer.json; `where` names it in errors.
  static std::shared_ptr<const Tokenizer> parse(std::string_view json_text, std::string_view where);

  virtual ~Tokenizer() = default;

  /// Text to ids. With `added_tokens` every spelling of an added token becomes its id (library
  /// behaviour); without, such a spelling is ordinary text (user input in strict mode). Adds no
  /// BOS. Text that is not valid UTF-8 is first repaired: U+FFFD per maximal invalid part.
  virtual std::vector<std::int32_t> encode(std::string_view text, bool added_tokens) const = 0;

  /// Ids to text in one piece; the same bytes a Detokenizer emits over the whole list.
  /// Throws Error (bad_input) for an id outside [0, vocab_size).
  virtual std::string decode(const std::vector<std::int32_t>& ids) const = 0;

  /// 1 + largest id.
  virtual int vocab_size() const = 0;
  /// The vocabulary string of an id (byte-alphabet spelling; added tokens as they are written);
  /// nullopt for an id without a token.
  virtual std::optional<std::string_view> piece(std::int32_t id) const = 0;
  /// The bytes an id stands for (UTF-8 text of added tokens). Empty for an id without a token.
  virtual std::string_view bytes(std::int32_t id) const = 0;
  virtual bool is_added(std::int32_t id) const = 0;
  /// Id of an added token by its exact text.
  virtual std::optional<std::int32_t> added_token(std::string_view text) const = 0;
};

/// Streaming detokeniser of one sequence: never emits part of a character.
class Detokenizer {
 public:
  explicit Detokenizer(std::shared_ptr<const Tokenizer> tokenizer);

  /// Appends one token and returns the text that became complete (valid UTF-8, maybe empty). Bytes
  /// that can no longer become a character come out as U+FFFD, one per maximal invalid part.
  std::string push(std::int32_t id);
  /// Ends the sequence: what is still held back, as U+FFFD.
  std::string flush();

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string pending_;  // at most 3 bytes of an unfinished character
};

}  // namespace deepinfer
