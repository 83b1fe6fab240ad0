#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_parts.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {

std::size_t hc_collapse_norm_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto width = static_cast<std::size_t>(graph.value(node.operands[0]).shape[2]);
  return host::WorkspaceCarver::bytes_for<float>(width);
}

void hc_collapse_norm(const HcCollapseNorm& op, const Operands& io, KernelContext& context) {
  const TensorRef& streams = io.in(0);
  const TensorRef& pre = io.in(1);
  const TensorRef& y = io.out(0);
  const std::int64_t count = streams.shape[1];
  const std::int64_t width = streams.shape[2];
  auto* weight =
      host::WorkspaceCarver(context.workspace).take<float>(static_cast<std::size_t>(width));
  widen(io.weight(2), 0, width, weight);

  split_items(
      context, streams.shape[0], count * width, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t row = begin; row < end; ++row) {
          float* to = y.row<float>(row);
          collapse_row(op.collapse, streams.row<float>(row), pre.row<float>(row), count, width, to);
          norm_row(op.norm, weight, to, width, to);
        }
      });
}

}  // namespace deepinfer::cpu
