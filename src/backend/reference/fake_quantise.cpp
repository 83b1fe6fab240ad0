// Model specification 2.7.

#include <algorithm>

#include "backend/reference/kernels.h"
#include "core/quantise.h"

namespace deepinfer::reference {

void fake_quantise(const FakeQuantise& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& x = io.in(0);
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    float* y = io.out(0).row<float>(t);
    if (y != x.row<float>(t)) std::copy_n(x.row<float>(t), x.shape[1], y);
    deepinfer::fake_quantise(op.quantiser, {y, static_cast<std::size_t>(x.shape[1])});
  }
}

}  // namespace deepinfer::reference
