// Model specification 2.9.11, step 2.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void grouped_linear(const GroupedLinear& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  const WeightRef& weight = io.weight(1);
  const std::int64_t ranks = weight.shape[0] / op.groups;
  for (std::int64_t t = 0; t < x.shape[0]; ++t)
    for (std::int64_t o = 0; o < weight.shape[0]; ++o) {
      const float* group = x.row<float>(t) + (o / ranks) * weight.shape[1];
      io.out(0).row<float>(t)[o] = rounded(dot_row(weight, o, group), op.rounding);
    }
}

}  // namespace deepinfer::reference
