// Model specification 2.9.3, ratio 2.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void compress(const Compress& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& a = io.in(0);
  const TensorRef& g = io.in(1);
  const TensorRef& state = io.in(2);
  const auto* slots = io.in(3).as<std::int32_t>();
  const auto* positions = io.in(4).as<std::int32_t>();
  const auto* prev_rows = io.in(5).as<std::int32_t>();
  const std::int64_t rows = a.shape[0];
  const std::int64_t width = a.shape[1];

  for (std::int64_t t = 0; t < rows; ++t) {
    float* pooled = io.out(0).row<float>(t);
    std::fill_n(pooled, width, 0.0F);
    if (positions[t] < 0 || positions[t] % 2 == 0) continue;  // ends no group
    const float* pending = state.row<float>(slots[t]);
    const float* first_a = prev_rows[t] >= 0 ? a.row<float>(prev_rows[t]) : pending;
    const float* first_g = prev_rows[t] >= 0 ? g.row<float>(prev_rows[t]) : pending + width;
    for (std::int64_t c = 0; c < width; ++c) {
      const double g0 = first_g[c];
      const double g1 = g.row<float>(t)[c];
      const double largest = std::max(g0, g1);
      const double w0 = std::exp(g0 - largest);
      const double w1 = std::exp(g1 - largest);
      pooled[c] = rounded((w0 * first_a[c] + w1 * a.row<float>(t)[c]) / (w0 + w1), op.rounding);
    }
  }

  // Only after every read: the last row of a sequence leaves its half group for the next step.
  for (std::int64_t t = 0; t < rows; ++t) {
    const bool last = t + 1 == rows || prev_rows[t + 1] != t;
    if (positions[t] < 0 || positions[t] % 2 != 0 || !last) continue;
    float* pending = state.row<float>(slots[t]);
    std::copy_n(a.row<float>(t), width, pending);
    std::copy_n(g.row<float>(t), width, pending + width);
  }
}

}  // namespace deepinfer::reference
