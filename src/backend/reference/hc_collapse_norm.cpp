// Model specification 2.5, then 2.3.

#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"

namespace deepinfer::reference {

void hc_collapse_norm(const HcCollapseNorm& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& streams = io.in(0);
  const std::int64_t width = streams.shape[2];
  for (std::int64_t t = 0; t < streams.shape[0]; ++t) {
    float* y = io.out(0).row<float>(t);
    collapse_row(op.collapse, streams.row<float>(t), io.in(1).row<float>(t), streams.shape[1],
                 width, y);
    norm_row(op.norm, io.weight(2), y, width, y);
  }
}

}  // namespace deepinfer::reference
