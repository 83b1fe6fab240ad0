#pragma once

// Byte-pair merging of one piece: repeatedly the adjacent pair of lowest rank, leftmost on a tie,
// until no pair has a rank (prompting specification 1.5).
//
// Immutable, without a cache: any number of threads may encode at once. Every byte has an id, so
// nothing fails but memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/merge_table.h"

namespace deepinfer {

class Bpe {
 public:
  /// `byte_ids`: the id of each single byte.
  Bpe(const std::array<std::int32_t, 256>& byte_ids, const std::vector<MergeRule>& rules);

  /// Longest piece that encode() takes.
  static constexpr std::size_t kMaxPieceBytes = 0x7FFFFFFF;

  /// Appends the ids of `piece` (raw bytes, at most kMaxPieceBytes). Time O(n log n).
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const;

 private:
  void encode_short(std::string_view piece, std::vector<std::int32_t>& ids) const;
  void encode_long(std::string_view piece, std::vector<std::int32_t>& ids) const;

  std::array<std::int32_t, 256> byte_ids_;
  MergeTable merges_;
};

}  // namespace deepinfer
