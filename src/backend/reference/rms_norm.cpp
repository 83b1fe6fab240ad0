// Model specification 2.3.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"

namespace deepinfer::reference {

void norm_row(const RmsNorm& op, const WeightRef& weight, const float* from, std::int64_t width,
              float* to) {
  double square = 0;
  for (std::int64_t i = 0; i < width; ++i) square += static_cast<double>(from[i]) * from[i];
  const double root = std::sqrt(square / static_cast<double>(width) + op.eps);
  for (std::int64_t i = 0; i < width; ++i)
    to[i] = rounded(plain_element(weight, i) * (from[i] / root), op.rounding);
}

void rms_norm(const RmsNorm& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  for (std::int64_t t = 0; t < x.shape[0]; ++t)
    norm_row(op, io.weight(1), x.row<float>(t), x.shape[1], io.out(0).row<float>(t));
}

}  // namespace deepinfer::reference
