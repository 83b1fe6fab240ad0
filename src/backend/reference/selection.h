#pragma once

// The parts of index_top_k, apart so that tests can see scores and feed scores.

#include <cstdint>

namespace deepinfer::reference {

/// sum over heads of relu(q[h] . key) * weights[h]; with `bf16_scores` the dot, the product and the
/// sum are rounded to bf16. Model specification 2.9.5.
float index_score(const float* q, const float* weights, const float* key, int heads,
                  std::int64_t width, bool bf16_scores);

/// Writes the `k` best of scores[0, n) to `selected` in ascending order, -1 behind them. Higher
/// score first, then lower index; scores of -infinity never count. `order` is scratch [n]. Model
/// specification 2.9.9.
void select_top_k(const float* scores, std::int64_t n, std::int64_t k, std::int32_t* order,
                  std::int32_t* selected);

/// The same over blocks of `block_size` scores, each standing for its best; the block of the newest
/// entry (n - 1) always counts. `order` is scratch [blocks], `block_scores` too. 2.9.8.
void select_blocks(const float* scores, std::int64_t n, int block_size, std::int64_t k,
                   std::int32_t* order, float* block_scores, std::int32_t* selected);

}  // namespace deepinfer::reference
