// Model specification 2.5.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void hc_collapse(const HcCollapse& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& streams = io.in(0);
  const std::int64_t width = streams.shape[2];
  for (std::int64_t t = 0; t < streams.shape[0]; ++t) {
    const float* x = streams.row<float>(t);
    const float* pre = io.in(1).row<float>(t);
    for (std::int64_t d = 0; d < width; ++d) {
      double sum = 0;
      for (std::int64_t s = 0; s < streams.shape[1]; ++s)
        sum += static_cast<double>(pre[s]) * x[s * width + d];
      io.out(0).row<float>(t)[d] = rounded(sum, op.rounding);
    }
  }
}

}  // namespace deepinfer::reference
