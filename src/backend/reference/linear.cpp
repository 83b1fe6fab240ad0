// Model specification 2.6.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "backend/reference/rows.h"
#include "core/quantise.h"

namespace deepinfer::reference {

void prepare_input(const Linear& op, const float* from, std::int64_t width, float* input) {
  std::copy_n(from, width, input);
  if (op.quantise_input)
    deepinfer::fake_quantise(Quantiser::q8, {input, static_cast<std::size_t>(width)});
}

void linear_row(const Linear& op, const WeightRef& weight, const float* input, float* to) {
  for (std::int64_t o = 0; o < weight.shape[0]; ++o)
    to[o] = rounded(dot_row(weight, o, input), op.rounding);
}

std::size_t linear_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  return host::WorkspaceCarver::bytes_for<float>(
      static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]));
}

void linear(const Linear& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  auto* input = reinterpret_cast<float*>(context.workspace);
  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    prepare_input(op, x.row<float>(t), x.shape[1], input);
    linear_row(op, io.weight(1), input, io.out(0).row<float>(t));
  }
}

}  // namespace deepinfer::reference
