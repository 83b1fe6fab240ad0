// Model specification 2.1.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void embedding(const Embedding& op, const Operands& io, KernelContext& /*context*/) {
  const auto* token_ids = io.in(0).as<std::int32_t>();
  const WeightRef& table = io.weight(1);
  const TensorRef& streams = io.out(0);
  const TensorRef& pre = io.out(1);
  const std::int64_t width = streams.shape[2];
  for (std::int64_t t = 0; t < streams.shape[0]; ++t) {
    float* x = streams.row<float>(t);
    for (int s = 0; s < op.streams; ++s) {
      for (std::int64_t d = 0; d < width; ++d)
        x[s * width + d] = plain_element(table, token_ids[t] * width + d);
      pre.row<float>(t)[s] = s == 0 ? 1.0F : 0.0F;
    }
  }
}

}  // namespace deepinfer::reference
