#include "backend/reference/selection.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/reference/arithmetic.h"

namespace deepinfer::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

float index_score(const float* q, const float* weights, const float* key, int heads,
                  std::int64_t width, bool bf16_scores) {
  const Rounding rounding = bf16_scores ? Rounding::bf16 : Rounding::none;
  double sum = 0;
  for (int h = 0; h < heads; ++h) {
    double dot = 0;
    for (std::int64_t i = 0; i < width; ++i) dot += static_cast<double>(q[h * width + i]) * key[i];
    const double relu = std::max(rounded(dot, rounding), 0.0F);
    const double term = relu * weights[h];
    sum += bf16_scores ? rounded(term, Rounding::bf16) : term;
  }
  return rounded(sum, rounding);
}

void select_top_k(const float* scores, std::int64_t n, std::int64_t k, std::int32_t* order,
                  std::int32_t* selected) {
  std::fill_n(selected, k, -1);
  std::iota(order, order + n, 0);
  const std::int64_t count = std::min(n, k);
  std::partial_sort(order, order + count, order + n, [scores](std::int32_t a, std::int32_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  std::int64_t kept = 0;
  while (kept < count && scores[order[kept]] != -kInfinity) ++kept;
  std::copy_n(order, kept, selected);
  std::sort(selected, selected + kept);
}

void select_blocks(const float* scores, std::int64_t n, int block_size, std::int64_t k,
                   std::int32_t* order, float* block_scores, std::int32_t* selected) {
  const std::int64_t blocks = (n + block_size - 1) / block_size;
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t end = std::min(n, (b + 1) * block_size);
    block_scores[b] = *std::max_element(scores + b * block_size, scores + end);
  }
  if (n > 0) block_scores[(n - 1) / block_size] = kInfinity;
  select_top_k(block_scores, blocks, k, order, selected);
}

}  // namespace deepinfer::reference
