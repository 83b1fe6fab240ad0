// Model specification 2.12.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void lm_head(const LmHead& /*op*/, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& h = io.in(0);
  const WeightRef& weight = io.weight(1);
  const auto* wants_logits = io.in(2).as<std::int32_t>();
  for (std::int64_t t = 0; t < h.shape[0]; ++t) {
    float* logits = io.out(0).row<float>(t);
    for (std::int64_t v = 0; v < weight.shape[0]; ++v)
      logits[v] =
          wants_logits[t] != 0 ? static_cast<float>(dot_row(weight, v, h.row<float>(t))) : 0;
  }
}

}  // namespace deepinfer::reference
