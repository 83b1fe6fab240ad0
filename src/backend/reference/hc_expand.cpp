// Model specification 2.5.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

std::size_t hc_expand_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  return host::WorkspaceCarver::bytes_for<float>(
      static_cast<std::size_t>(graph.value(node.operands[1]).shape[1]));
}

void hc_expand(const HcExpand& op, const Operands& io, KernelContext& context) {
  const TensorRef& streams = io.in(1);
  const std::int64_t hc = streams.shape[1];
  const std::int64_t width = streams.shape[2];
  auto* column =
      reinterpret_cast<float*>(context.workspace);  // the result may overwrite the streams
  for (std::int64_t t = 0; t < streams.shape[0]; ++t) {
    const float* y = io.in(0).row<float>(t);
    const float* x = streams.row<float>(t);
    const float* post = io.in(2).row<float>(t);
    const float* comb = io.in(3).row<float>(t);
    float* result = io.out(0).row<float>(t);
    for (std::int64_t d = 0; d < width; ++d) {
      for (std::int64_t j = 0; j < hc; ++j) column[j] = x[j * width + d];
      for (std::int64_t k = 0; k < hc; ++k) {
        double sum = static_cast<double>(post[k]) * y[d];
        for (std::int64_t j = 0; j < hc; ++j)
          sum += static_cast<double>(comb[j * hc + k]) * column[j];
        result[k * width + d] = rounded(sum, op.rounding);
      }
    }
  }
}

}  // namespace deepinfer::reference
