#pragma once

// Reads the text of a tokenizer.json and checks that it is the tokenizer this engine implements:
// byte-level BPE behind the DeepSeek-V4.1 pre-tokeniser (prompting specification 1.2 and 1.3).
// Everything that would change ids without being implemented is an error, not ignored.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/merge_table.h"

namespace deepinfer {

struct AddedTokenEntry {
  std::string content;
  std::int32_t id;
  /// Looked for after, and between, all those that are not normalized.
  bool normalized;
};

/// A checked tokenizer.json. Ids are unique, not negative and below `size`.
struct TokenizerData {
  std::vector<std::pair<std::string, std::int32_t>> vocabulary;  // byte-alphabet spelling, id
  std::array<std::int32_t, 256> byte_ids;
  std::vector<MergeRule> merges;
  std::vector<AddedTokenEntry> added;
  /// A piece that is in the vocabulary is taken whole.
  bool ignore_merges = false;
  /// 1 + largest id.
  std::int32_t size = 0;
};

/// Throws Error (bad_input) that names `where`, the field, what was expected and what was found.
TokenizerData read_tokenizer_json(std::string_view text, std::string_view where);

}  // namespace deepinfer
