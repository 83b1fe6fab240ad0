#include "engram/token_map.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <memory>
#include <unordered_map>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

constexpr std::int32_t kSentinel = 0xE000;     // stands for "exactly one space" while stripping
constexpr std::int32_t kReplacement = 0xFFFD;  // what malformed UTF-8 decodes to
constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

bool is_mark(std::int32_t c) {
  const utf8proc_category_t category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

/// Unicode White_Space.
bool is_white_space(std::int32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_folded_space(std::int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::vector<std::int32_t> code_points(std::string_view text) {
  std::vector<std::int32_t> points;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t used = utf8proc_iterate(bytes, left, &point);
    points.push_back(used > 0 ? point : kReplacement);
    bytes += used > 0 ? used : 1;
    left -= used > 0 ? used : 1;
  }
  return points;
}

/// NFKD decomposition, marks dropped, lower case: all per code point. The only code point with a
/// longer lower-case form, U+0130, has been decomposed before it gets there.
std::vector<std::int32_t> fold(const std::vector<std::int32_t>& points) {
  std::vector<std::int32_t> folded;
  constexpr auto kDecompose = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  for (const std::int32_t point : points) {
    std::array<utf8proc_int32_t, 32> parts{};  // the longest decomposition has 18 code points
    int boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(point, parts.data(), parts.size(), kDecompose, &boundary);
    if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
      folded.push_back(point);
      continue;
    }
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      const std::int32_t part = parts[static_cast<std::size_t>(i)];
      if (!is_mark(part)) folded.push_back(utf8proc_tolower(part));
    }
  }
  return folded;
}

std::vector<std::int32_t> fold_spaces(const std::vector<std::int32_t>& points) {
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_folded_space(points[i]))
      result.push_back(points[i]);
    else if (i == 0 || !is_folded_space(points[i - 1]))
      result.push_back(' ');
  }
  return result;
}

std::string encode(const std::vector<std::int32_t>& points, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    // The sentinel, the token's own U+E000 included, becomes a space (specification 3.1, step 8).
    const std::int32_t point = points[i] == kSentinel ? ' ' : points[i];
    const utf8proc_ssize_t count = utf8proc_encode_char(point, bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

std::string normalise_token(std::string_view text) {
  std::vector<std::int32_t> points = fold_spaces(fold(code_points(text)));
  if (points.size() == 1 && points.front() == ' ') points.front() = kSentinel;
  std::size_t begin = 0;
  std::size_t end = points.size();
  while (begin < end && is_white_space(points[begin])) ++begin;
  while (end > begin && is_white_space(points[end - 1])) --end;
  return encode(points, begin, end);
}

std::string token_key(const Tokenizer& tokenizer, std::int32_t id) {
  const auto piece = tokenizer.piece(id);
  if (!piece.has_value()) return {};
  const std::string text = tokenizer.decode({id});  // malformed parts come out as U+FFFD
  if (text.find(kReplacementUtf8) != std::string::npos) return std::string(*piece);
  std::string normalised = normalise_token(text);
  return normalised.empty() ? text : normalised;
}

TokenMap build_checked_token_map(const Tokenizer& tokenizer, const ModelConfig& config,
                                 const std::string& directory) {
  TokenMap map = build_token_map(tokenizer, config.vocab_size);
  if (map.size != config.engram.compressed_vocab_size)
    throw Error::bad_input(
        directory + "/tokenizer.json",
        fmt::format("deepseek_v41 config: tokenizer compresses to {} ids, config says {}", map.size,
                    config.engram.compressed_vocab_size));
  return map;
}

TokenMap build_token_map(const Tokenizer& tokenizer, int vocab_size) {
  TokenMap map;
  map.compressed.reserve(static_cast<std::size_t>(vocab_size));
  std::unordered_map<std::string, std::int32_t> ids;
  for (std::int32_t id = 0; id < vocab_size; ++id) {
    const auto next = static_cast<std::int32_t>(ids.size());
    const auto [entry, inserted] =
        ids.emplace(id < tokenizer.vocab_size() ? token_key(tokenizer, id) : std::string(), next);
    map.compressed.push_back(entry->second);
  }
  map.size = static_cast<int>(ids.size());
  return map;
}

}  // namespace deepinfer
