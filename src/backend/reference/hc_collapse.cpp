// Model specification 2.5.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"

namespace deepinfer::reference {

void collapse_row(const HcCollapse& op, const float* streams, const float* pre, std::int64_t count,
                  std::int64_t width, float* to) {
  for (std::int64_t d = 0; d < width; ++d) {
    double sum = 0;
    for (std::int64_t s = 0; s < count; ++s)
      sum += static_cast<double>(pre[s]) * streams[s * width + d];
    to[d] = rounded(sum, op.rounding);
  }
}

void hc_collapse(const HcCollapse& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& streams = io.in(0);
  for (std::int64_t t = 0; t < streams.shape[0]; ++t)
    collapse_row(op, streams.row<float>(t), io.in(1).row<float>(t), streams.shape[1],
                 streams.shape[2], io.out(0).row<float>(t));
}

}  // namespace deepinfer::reference
