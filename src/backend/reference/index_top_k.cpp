// Model specification 2.9.5 to 2.9.9.

#include <algorithm>
#include <limits>

#include "backend/reference/kernels.h"
#include "backend/reference/paged_cache.h"
#include "backend/reference/selection.h"
#include "core/quantise.h"

namespace deepinfer::reference {
namespace {

std::int64_t most_entries(const Graph& graph, const Node& node) {
  return graph.value(node.operands[2]).shape[1] * graph.value(node.operands[3]).shape[1];
}

/// Sets scores outside the candidate blocks to -infinity.
void mask(const std::int32_t* candidates, std::int64_t count, int block_size, float* scores,
          std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    const auto block = static_cast<std::int32_t>(j / block_size);
    if (std::find(candidates, candidates + count, block) == candidates + count)
      scores[j] = -std::numeric_limits<float>::infinity();
  }
}

}  // namespace

std::size_t index_top_k_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto entries = static_cast<std::size_t>(most_entries(graph, node));
  const Shape& q = graph.value(node.operands[0]).shape;
  const auto heads = static_cast<std::size_t>(std::get<IndexTopK>(node.op).heads);
  using host::WorkspaceCarver;
  return 2 * WorkspaceCarver::bytes_for<float>(entries) +
         WorkspaceCarver::bytes_for<std::int32_t>(entries) +
         WorkspaceCarver::bytes_for<float>(static_cast<std::size_t>(q[1]) / heads);
}

void index_top_k(const IndexTopK& op, const Operands& io, KernelContext& context) {
  const TensorRef& q = io.in(0);
  const PagedCache cache(io.in(2), io.in(3));
  const auto* slots = io.in(4).as<std::int32_t>();
  const auto* visible_entries = io.in(5).as<std::int32_t>();
  const std::int64_t width = q.shape[1] / op.heads;
  const auto entries = static_cast<std::size_t>(io.in(2).shape[1] * io.in(3).shape[1]);
  host::WorkspaceCarver carver(context.workspace);
  auto* scores = carver.take<float>(entries);
  auto* block_scores = carver.take<float>(entries);
  auto* order = carver.take<std::int32_t>(entries);
  auto* key = carver.take<float>(static_cast<std::size_t>(width));

  for (std::int64_t t = 0; t < q.shape[0]; ++t) {
    const std::int64_t visible = visible_entries[t];  // 0 for padding rows
    for (std::int64_t j = 0; j < visible; ++j) {
      dequantise(Quantiser::q4u, cache.entry(slots[t], j), {key, static_cast<std::size_t>(width)});
      scores[j] = index_score(q.row<float>(t), io.in(1).row<float>(t), key, op.heads, width,
                              op.bf16_scores);
    }
    if (op.publish_blocks > 0)
      select_blocks(scores, visible, op.block_size, op.publish_blocks, order, block_scores,
                    io.out(1).row<std::int32_t>(t));
    if (io.has(6))
      mask(io.in(6).row<std::int32_t>(t), io.in(6).shape[1], op.block_size, scores, visible);
    select_top_k(scores, visible, op.topk, order, io.out(0).row<std::int32_t>(t));
  }
}

}  // namespace deepinfer::reference
