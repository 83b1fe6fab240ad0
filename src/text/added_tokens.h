#pragma once

// Finds the spellings of added tokens in raw text: leftmost, and of those that start at the same
// place the longest (prompting specification 1.7). Immutable once built: any thread; no errors.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepinfer {

class AddedTokenMatcher {
 public:
  struct Match {
    std::size_t position;
    std::size_t length;
    std::int32_t id;
  };

  /// Spellings (not empty, all different) with their ids.
  explicit AddedTokenMatcher(std::vector<std::pair<std::string, std::int32_t>> tokens);

  /// The first match that starts at or after `from`.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

 private:
  /// A range of tokens_ that share the bytes read so far.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  Range narrow(Range range, std::size_t depth, std::uint8_t byte) const;
  std::optional<Match> match_at(std::string_view text, std::size_t position) const;

  std::vector<std::pair<std::string, std::int32_t>>
      tokens_;  // sorted by spelling: an implicit trie
  std::array<Range, 256> first_byte_{};
};

}  // namespace deepinfer
