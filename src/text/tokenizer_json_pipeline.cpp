#include "text/tokenizer_json_pipeline.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace deepinfer {
namespace {

// Prompting specification 1.3. PreTokenizer is these three and nothing else.
constexpr std::array<std::string_view, 3> kSplitRegexes = {
    R"(\p{N}{1,3})",
    "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
    R"(|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)",
};

// Releases write CR and LF in the third regex either as escapes or as the characters themselves.
std::string with_escaped_line_ends(std::string_view regex) {
  std::string escaped;
  for (const char c : regex) {
    if (c == '\r') {
      escaped += "\\r";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

void check_split(const TokenizerJsonField& split, std::string_view regex) {
  split["type"].require_string("Split");
  const TokenizerJsonField pattern = split["pattern"]["Regex"];
  if (with_escaped_line_ends(pattern.string()) != regex) pattern.fail(regex, pattern.string());
  split["behavior"].require_string("Isolated");
  if (split["invert"].bool_or(false)) split["invert"].fail("false");
}

void check_pre_tokenizer(const TokenizerJsonField& field) {
  field["type"].require_string("Sequence");
  const TokenizerJsonField stages = field["pretokenizers"];
  if (stages.array_size() != kSplitRegexes.size() + 1) stages.fail("3 Split and 1 ByteLevel");
  for (std::size_t i = 0; i < kSplitRegexes.size(); ++i) check_split(stages[i], kSplitRegexes[i]);
  const TokenizerJsonField byte_level = stages[kSplitRegexes.size()];
  byte_level["type"].require_string("ByteLevel");
  byte_level["add_prefix_space"].require_bool(false);
  byte_level["use_regex"].require_bool(false);
  // trim_offsets moves character offsets only, never ids.
}

void check_normalizer(const TokenizerJsonField& field) {
  if (field.is_null()) return;
  field["type"].require_string("Sequence");
  const TokenizerJsonField steps = field["normalizers"];
  if (steps.array_size() != 0) steps.fail("no normalizers");
}

}  // namespace

void check_tokenizer_pipeline(const TokenizerJsonField& document) {
  check_normalizer(document["normalizer"]);
  check_pre_tokenizer(document["pre_tokenizer"]);
  // A ByteLevel post-processor adds no tokens; its options move offsets only.
  const TokenizerJsonField post_processor = document["post_processor"];
  if (!post_processor.is_null()) post_processor["type"].require_string("ByteLevel");
  document["decoder"]["type"].require_string("ByteLevel");
}

}  // namespace deepinfer
