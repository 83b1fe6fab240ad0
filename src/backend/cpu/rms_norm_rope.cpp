#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_parts.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

std::size_t weight_bytes(std::int64_t width) {
  return host::WorkspaceCarver::bytes_for<float>(static_cast<std::size_t>(width));
}

}  // namespace

std::size_t rms_norm_rope_workspace(const Graph& graph, const Node& node, int threads) {
  return weight_bytes(graph.value(node.operands[0]).shape[1]) +
         static_cast<std::size_t>(threads) *
             HeadRotation::bytes(std::get<RmsNormRope>(node.op).rope);
}

void rms_norm_rope(const RmsNormRope& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const auto* positions = io.in(2).as<std::int32_t>();
  const TensorRef& y = io.out(0);
  const std::int64_t width = x.shape[1];
  auto* weight = reinterpret_cast<float*>(context.workspace);
  widen(io.weight(1), 0, width, weight);
  std::byte* angles = context.workspace + weight_bytes(width);

  split_items(context, x.shape[0], width, [&](std::int64_t begin, std::int64_t end, int member) {
    const HeadRotation heads(
        op.rope, angles + static_cast<std::size_t>(member) * HeadRotation::bytes(op.rope));
    for (std::int64_t row = begin; row < end; ++row) {
      float* to = y.row<float>(row);
      norm_row(op.norm, weight, x.row<float>(row), width, to);
      heads.rotate(positions[row], width, to);
    }
  });
}

}  // namespace deepinfer::cpu
