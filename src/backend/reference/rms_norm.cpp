// Model specification 2.3.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void rms_norm(const RmsNorm& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  const std::int64_t width = x.shape[1];
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    const float* row = x.row<float>(t);
    double square = 0;
    for (std::int64_t i = 0; i < width; ++i) square += static_cast<double>(row[i]) * row[i];
    const double root = std::sqrt(square / static_cast<double>(width) + op.eps);
    for (std::int64_t i = 0; i < width; ++i)
      io.out(0).row<float>(t)[i] =
          rounded(plain_element(io.weight(1), i) * (row[i] / root), op.rounding);
  }
}

}  // namespace deepinfer::reference
