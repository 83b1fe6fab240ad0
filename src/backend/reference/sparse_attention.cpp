// Model specification 2.9.10.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "backend/reference/paged_cache.h"
#include "core/quantise.h"

namespace deepinfer::reference {
namespace {

constexpr std::int64_t kOnlineBlock = 64;  // list entries per block of the official kernel
constexpr double kNoMaximum = -1e30;       // its running maximum before the first entry

/// The entries one row sees, by list index: dequantised values, one row of `width` each.
struct EntryList {
  float* values;
  bool* present;
  std::int64_t count;
};

struct Scratch {
  EntryList list;
  double* scores;  // [list entries]
  double* output;  // [width]
};

/// Softmax with all scores at hand.
void attend_exact(const Scratch& scratch, double sink, std::int64_t width) {
  const EntryList& list = scratch.list;
  double largest = kNoMaximum;
  for (std::int64_t i = 0; i < list.count; ++i)
    if (list.present[i]) largest = std::max(largest, scratch.scores[i]);
  double denominator = std::exp(sink - largest);
  for (std::int64_t i = 0; i < list.count; ++i) {
    if (!list.present[i]) continue;
    const double p = std::exp(scratch.scores[i] - largest);
    denominator += p;
    for (std::int64_t c = 0; c < width; ++c) scratch.output[c] += p * list.values[i * width + c];
  }
  for (std::int64_t c = 0; c < width; ++c) scratch.output[c] /= denominator;
}

/// The official kernel's way: blocks of list entries, bf16 probabilities relative to the running
/// maximum, unrounded ones in the denominator, the sink last.
void attend_online(const Scratch& scratch, double sink, std::int64_t width) {
  const EntryList& list = scratch.list;
  double largest = kNoMaximum;
  double denominator = 0;
  for (std::int64_t begin = 0; begin < list.count; begin += kOnlineBlock) {
    const std::int64_t end = std::min(begin + kOnlineBlock, list.count);
    double next = largest;
    for (std::int64_t i = begin; i < end; ++i)
      if (list.present[i]) next = std::max(next, scratch.scores[i]);
    const double shrink = std::exp(largest - next);
    largest = next;
    denominator *= shrink;
    for (std::int64_t c = 0; c < width; ++c) scratch.output[c] *= shrink;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!list.present[i]) continue;
      const auto p = static_cast<float>(std::exp(scratch.scores[i] - largest));
      denominator += p;
      const double q = round_bf16(p);
      for (std::int64_t c = 0; c < width; ++c) scratch.output[c] += q * list.values[i * width + c];
    }
  }
  denominator += std::exp(sink - largest);
  for (std::int64_t c = 0; c < width; ++c) scratch.output[c] /= denominator;
}

/// Window entries oldest first, absent ones kept as places in the list; then the selected ones.
void gather(const SparseAttention& op, const Operands& io, std::int64_t t, std::int64_t width,
            EntryList& list) {
  const TensorRef& window = io.in(1);
  const std::int32_t slot = io.in(2).as<std::int32_t>()[t];
  const std::int64_t position = io.in(3).as<std::int32_t>()[t];
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
  Scratch scratch{};
  scratch.list.values = carver.take<float>(static_cast<std::size_t>(most * width));
  scratch.list.present = carver.take<bool>(static_cast<std::size_t>(most));
  scratch.scores = carver.take<double>(static_cast<std::size_t>(most));
  scratch.output = carver.take<double>(static_cast<std::size_t>(width));

  for (std::int64_t t = 0; t < q.shape[0]; ++t) {
    gather(op, io, t, width, scratch.list);
    for (int h = 0; h < op.heads; ++h) {
      const float* query = q.row<float>(t) + h * width;
      for (std::int64_t i = 0; i < scratch.list.count; ++i) {
        if (!scratch.list.present[i]) continue;
        double dot = 0;
        for (std::int64_t c = 0; c < width; ++c)
          dot += static_cast<double>(query[c]) * scratch.list.values[i * width + c];
        scratch.scores[i] = static_cast<float>(dot) * op.softmax_scale;
      }
      std::fill_n(scratch.output, width, 0.0);
      const double sink = plain_element(io.weight(4), h);
      if (op.online_bf16)
        attend_online(scratch, sink, width);
      else
        attend_exact(scratch, sink, width);
      for (std::int64_t c = 0; c < width; ++c)
        io.out(0).row<float>(t)[h * width + c] = rounded(scratch.output[c], op.rounding);
    }
  }
}

}  // namespace deepinfer::reference
