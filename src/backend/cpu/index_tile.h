#pragma once

// What the instruction sets' index score functions work on. Plain, non-owning.

#include <cstdint>

namespace deepinfer::cpu {

/// Entries scored at once; their unpacked keys stay in the first-level cache.
inline constexpr int kIndexTile = 64;

/// The index query of one row.
struct IndexQuery {
  const float* q;        ///< [heads, width]
  const float* weights;  ///< [heads]
  std::int64_t heads;
  std::int64_t width;
  bool round_to_bf16;  ///< dot, product and sum (model specification 2.9.5)
};

}  // namespace deepinfer::cpu
