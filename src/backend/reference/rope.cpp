// Model specification 2.8.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"

namespace deepinfer::reference {

void rotate_row(const Rope& op, std::int32_t position, std::int64_t width, float* row) {
  const std::vector<float>& frequencies = *op.frequencies;
  const auto pairs = static_cast<std::int64_t>(frequencies.size());
  const std::int64_t heads = width / op.head_dim;
  const int first = std::max(position, 0) / op.position_step * op.position_step;
  for (std::int64_t i = 0; i < pairs; ++i) {
    // The angle is rounded to fp32 before its cosine is taken; so are cosine and sine.
    const float theta = static_cast<float>(first) * frequencies[static_cast<std::size_t>(i)];
    const auto cosine = static_cast<float>(std::cos(static_cast<double>(theta)));
    const auto sine =
        static_cast<float>(std::sin(static_cast<double>(theta)) * (op.inverse ? -1 : 1));
    for (std::int64_t h = 0; h < heads; ++h) {
      float* pair = row + (h + 1) * op.head_dim - 2 * pairs + 2 * i;
      const double a = pair[0];
      const double b = pair[1];
      pair[0] = rounded(a * cosine - b * sine, op.rounding);
      pair[1] = rounded(a * sine + b * cosine, op.rounding);
    }
  }
}

void rope(const Rope& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  const auto* positions = io.in(1).as<std::int32_t>();
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    float* y = io.out(0).row<float>(t);
    if (y != x.row<float>(t)) std::copy_n(x.row<float>(t), x.shape[1], y);
    rotate_row(op, positions[t], x.shape[1], y);
  }
}

}  // namespace deepinfer::reference
