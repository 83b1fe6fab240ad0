// Model specification 2.6, once per weight.

#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"

namespace deepinfer::reference {

void linear_group(const LinearGroup& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  auto* input = reinterpret_cast<float*>(context.workspace);
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    prepare_input(op.linear, x.row<float>(t), x.shape[1], input);
    for (std::size_t k = 0; k < io.results(); ++k)
      linear_row(op.linear, io.weight(1 + k), input, io.out(k).row<float>(t));
  }
}

}  // namespace deepinfer::reference
