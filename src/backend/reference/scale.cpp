// Model specification 2.9.5.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void scale(const Scale& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  for (std::int64_t t = 0; t < x.shape[0]; ++t)
    for (std::int64_t i = 0; i < x.shape[1]; ++i)
      io.out(0).row<float>(t)[i] =
          rounded(static_cast<double>(x.row<float>(t)[i]) * op.factor, op.rounding);
}

}  // namespace deepinfer::reference
