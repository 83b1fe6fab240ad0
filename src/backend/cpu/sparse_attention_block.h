#pragma once

// What the instruction sets' attention functions work on. Plain, non-owning.

#include <cstdint>

namespace deepinfer::cpu {

/// List entries per block. Part of the arithmetic: the official online softmax moves its running
/// maximum and rounds its probabilities per 64 entries (model specification 2.9.10).
inline constexpr int kAttentionBlock = 64;

/// The entries of one block that exist, in list order, unpacked.
struct AttentionBlock {
  const float* values;  ///< [entries, width]: key and value in one
  std::int64_t entries;
  std::int64_t width;
  float scale;         ///< of the scores
  bool round_to_bf16;  ///< the probabilities, before the value product
};

/// Some heads of one row and what they have gathered so far.
struct AttentionHeads {
  const float* q;  ///< [count, width]
  std::int64_t count;
  float* maxima;        ///< running maximum of each head
  float* denominators;  ///< sums of probabilities relative to it
  float* out;           ///< [count, width], sums of values relative to it
  float* scores;        ///< scratch, [count, kAttentionBlock]
  float* shrink;        ///< scratch, [count]
};

}  // namespace deepinfer::cpu
