#include "text/added_tokens.h"

#include <algorithm>

namespace deepinfer {

AddedTokenMatcher::AddedTokenMatcher(std::vector<std::pair<std::string, std::int32_t>> tokens)
    : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end());
  const Range all{0, static_cast<std::uint32_t>(tokens_.size())};
  for (unsigned byte = 0; byte < first_byte_.size(); ++byte) {
    first_byte_[byte] = narrow(all, 0, static_cast<std::uint8_t>(byte));
  }
}

AddedTokenMatcher::Range AddedTokenMatcher::narrow(Range range, std::size_t depth,
                                                   std::uint8_t byte) const {
  // A token that ends at this depth sorts before all that go on. std::string orders by unsigned
  // bytes.
  const auto before = [&](int limit) {
    return [depth, limit](const std::pair<std::string, std::int32_t>& token) {
      const std::string& text = token.first;
      return depth >= text.size() || static_cast<std::uint8_t>(text[depth]) < limit;
    };
  };
  const auto begin = tokens_.begin() + range.begin;
  const auto end = tokens_.begin() + range.end;
  const auto low = std::partition_point(begin, end, before(byte));
  const auto high = std::partition_point(low, end, before(byte + 1));
  return {static_cast<std::uint32_t>(low - tokens_.begin()),
          static_cast<std::uint32_t>(high - tokens_.begin())};
}

std::optional<AddedTokenMatcher::Match> AddedTokenMatcher::match_at(std::string_view text,
                                                                    std::size_t position) const {
  std::optional<Match> longest;
  Range range = first_byte_[static_cast<std::uint8_t>(text[position])];
  for (std::size_t depth = 1; range.begin != range.end; ++depth) {
    const auto& [spelling, id] = tokens_[range.begin];
    if (spelling.size() == depth) longest = Match{position, depth, id};
    if (position + depth >= text.size()) break;
    range = narrow(range, depth, static_cast<std::uint8_t>(text[position + depth]));
  }
  return longest;
}

std::optional<AddedTokenMatcher::Match> AddedTokenMatcher::find(std::string_view text,
                                                                std::size_t from) const {
  for (std::size_t at = from; at < text.size(); ++at) {
    const Range range = first_byte_[static_cast<std::uint8_t>(text[at])];
    if (range.begin == range.end) continue;
    if (const auto match = match_at(text, at)) return match;
  }
  return std::nullopt;
}

}  // namespace deepinfer
