#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_parts.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {

void norm_row(const RmsNorm& op, const float* weight, const float* from, std::int64_t width,
              float* to) {
  const auto factor = static_cast<float>(inverse_rms(from, width, op.eps));
  for (std::int64_t i = 0; i < width; ++i) to[i] = weight[i] * (from[i] * factor);
  round_values(op.rounding, to, width);
}

std::size_t rms_norm_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto width = static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]);
  return host::WorkspaceCarver::bytes_for<float>(width);
}

void rms_norm(const RmsNorm& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const TensorRef& y = io.out(0);
  const std::int64_t width = x.shape[1];
  auto* weight =
      host::WorkspaceCarver(context.workspace).take<float>(static_cast<std::size_t>(width));
  widen(io.weight(1), 0, width, weight);

  split_items(context, x.shape[0], width, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row)
      norm_row(op, weight, x.row<float>(row), width, y.row<float>(row));
  });
}

}  // namespace deepinfer::cpu
