// Model specification 2.3, then 2.8.

#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"

namespace deepinfer::reference {

void rms_norm_rope(const RmsNormRope& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  const auto* positions = io.in(2).as<std::int32_t>();
  const std::int64_t width = x.shape[1];
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    float* y = io.out(0).row<float>(t);
    norm_row(op.norm, io.weight(1), x.row<float>(t), width, y);
    rotate_row(op.rope, positions[t], width, y);
  }
}

}  // namespace deepinfer::reference
