// Model specification 2.6.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "core/quantise.h"

namespace deepinfer::reference {

std::size_t linear_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  return host::WorkspaceCarver::bytes_for<float>(
      static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]));
}

void linear(const Linear& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const WeightRef& weight = io.weight(1);
  auto* input = reinterpret_cast<float*>(context.workspace);
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    std::copy_n(x.row<float>(t), x.shape[1], input);
    if (op.quantise_input)
      deepinfer::fake_quantise(Quantiser::q8, {input, static_cast<std::size_t>(x.shape[1])});
    for (std::int64_t o = 0; o < weight.shape[0]; ++o)
      io.out(0).row<float>(t)[o] = rounded(dot_row(weight, o, input), op.rounding);
  }
}

}  // namespace deepinfer::reference
