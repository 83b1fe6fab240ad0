// Model specification 2.9.10.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/attention.h"
#include "backend/reference/kernels.h"
#include "backend/reference/paged_cache.h"
#include "core/quantise.h"

namespace deepinfer::reference {
namespace {

/// Window entries oldest first, absent ones kept as places in the list; then the selected ones.
void gather(const SparseAttention& op, const Operands& io, std::int64_t t, EntryList& list) {
  const TensorRef& window = io.in(1);
  const std::int32_t slot = io.in(2).as<std::int32_t>()[t];
  const std::int64_t position = io.in(3).as<std::int32_t>()[t];
  const std::int64_t width = list.width;
  const auto size = static_cast<std::size_t>(width);
  for (std::int64_t i = 0; i < op.window; ++i) {
    const std::int64_t at = position - op.window + 1 + i;
    list.present[i] = at >= 0;
    if (at >= 0)
      dequantise(Quantiser::q8,
                 window.row<std::uint8_t>(slot) + (at % window.shape[1]) * window.shape[2],
                 {list.values + i * width, size});
  }
  list.count = op.window;
  if (!io.has(5)) return;
  const PagedCache cache(io.in(5), io.in(6));
  const auto* selected = io.in(7).row<std::int32_t>(t);
  for (std::int64_t i = 0; i < io.in(7).shape[1]; ++i, ++list.count) {
    list.present[list.count] = selected[i] >= 0;
    if (selected[i] >= 0)
      dequantise(Quantiser::q4e, cache.entry(slot, selected[i]),
                 {list.values + list.count * width, size});
  }
}

std::size_t list_size(const Graph& graph, const Node& node) {
  std::int64_t size = std::get<SparseAttention>(node.op).window;
  if (node.operands.size() > 7) size += graph.value(node.operands[7]).shape[1];
  return static_cast<std::size_t>(size);
}

}  // namespace

std::size_t sparse_attention_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto& op = std::get<SparseAttention>(node.op);
  const auto width = static_cast<std::size_t>(graph.value(node.operands[0]).shape[1] / op.heads);
  const std::size_t entries = list_size(graph, node);
  using host::WorkspaceCarver;
  return WorkspaceCarver::bytes_for<float>(entries * width) +
         WorkspaceCarver::bytes_for<bool>(entries) + WorkspaceCarver::bytes_for<double>(entries) +
         WorkspaceCarver::bytes_for<double>(width);
}

void sparse_attention(const SparseAttention& op, const Operands& io, KernelContext& context) {
  const TensorRef& q = io.in(0);
  const std::int64_t width = q.shape[1] / op.heads;
  const std::int64_t most = op.window + (io.has(7) ? io.in(7).shape[1] : 0);
  host::WorkspaceCarver carver(context.workspace);
  EntryList list{};
  list.values = carver.take<float>(static_cast<std::size_t>(most * width));
  list.present = carver.take<bool>(static_cast<std::size_t>(most));
  list.width = width;
  auto* scores = carver.take<double>(static_cast<std::size_t>(most));
  auto* output = carver.take<double>(static_cast<std::size_t>(width));

  for (std::int64_t t = 0; t < q.shape[0]; ++t) {
    gather(op, io, t, list);
    for (int h = 0; h < op.heads; ++h) {
      const float* query = q.row<float>(t) + h * width;
      const double sink = plain_element(io.weight(4), h);
      const auto attend = op.online_bf16 ? attend_online : attend_exact;
      attend(list, query, op.softmax_scale, sink, scores, output);
      for (std::int64_t c = 0; c < width; ++c)
        io.out(0).row<float>(t)[h * width + c] = rounded(output[c], op.rounding);
    }
  }
}

}  // namespace deepinfer::reference
