#pragma once

// Bucket layout of the n-gram tables: one prime modulus and one row offset per hash column
// (model specification 3.2). Plain values, computed from the config alone; no state, any thread.

#include <cstdint>
#include <vector>

#include "deepinfer/model_config.h"

namespace deepinfer {

// Limits that keep the prime search short and row counts far inside int64. The released model has
// 16,000,000, 48 columns in all, n-grams up to 4 and 8 heads.
constexpr std::int64_t kMaxEngramVocabSize = std::int64_t{1} << 28;
constexpr std::int64_t kMaxEngramNgramSize = 16;
constexpr std::int64_t kMaxEngramHeads = 256;
constexpr std::int64_t kMaxEngramColumns = 4096;

/// One engram layer. Column c = (n - 2) * n_heads + head, for n-gram size n.
struct EngramLayout {
  std::vector<std::int64_t> primes;   ///< [columns] modulus of each column
  std::vector<std::int64_t> offsets;  ///< [columns] first table row of each column

  /// Rows of the layer's table: the sum of its primes.
  std::int64_t rows() const;
};

/// One layout per entry of config.layer_ids, in that order; empty without engram.
/// Throws Error (bad_input) if the config is beyond the limits above.
std::vector<EngramLayout> engram_layouts(const EngramConfig& config);

}  // namespace deepinfer
