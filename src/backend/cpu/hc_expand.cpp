#include <algorithm>
#include <cstring>

#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// Channels done at once: all streams of a piece fit the first-level cache twice.
constexpr std::int64_t kPiece = 256;

/// Where a thread keeps the new streams of a piece: the old ones, which may lie in the same
/// storage, are needed until all are done.
std::size_t scratch_floats(std::int64_t streams) {
  return static_cast<std::size_t>(streams * kPiece);
}

}  // namespace

std::size_t hc_expand_workspace(const Graph& graph, const Node& node, int threads) {
  const std::int64_t streams = graph.value(node.operands[1]).shape[1];
  return static_cast<std::size_t>(threads) *
         host::WorkspaceCarver::bytes_for<float>(scratch_floats(streams));
}

void hc_expand(const HcExpand& op, const Operands& io, KernelContext& context) {
  const TensorRef& y = io.in(0);
  const TensorRef& old_streams = io.in(1);
  const TensorRef& post = io.in(2);
  const TensorRef& comb = io.in(3);
  const TensorRef& streams = io.out(0);
  const std::int64_t count = streams.shape[1];
  const std::int64_t width = streams.shape[2];
  const std::int64_t pieces = (width + kPiece - 1) / kPiece;
  const std::size_t scratch_bytes = host::WorkspaceCarver::bytes_for<float>(scratch_floats(count));

  // Items are pieces of channels, so that one row of a wide model keeps all threads busy.
  split_items(context, streams.shape[0] * pieces, count * count * kPiece,
              [&](std::int64_t begin, std::int64_t end, int member) {
                auto* scratch = reinterpret_cast<float*>(
                    context.workspace + static_cast<std::size_t>(member) * scratch_bytes);
                for (std::int64_t item = begin; item < end; ++item) {
                  const std::int64_t row = item / pieces;
                  const std::int64_t first = item % pieces * kPiece;
                  const std::int64_t length = std::min(kPiece, width - first);
                  const float* sub_layer = y.row<float>(row) + first;
                  const float* from = old_streams.row<float>(row) + first;
                  float* to = streams.row<float>(row) + first;
                  for (std::int64_t k = 0; k < count; ++k) {
                    float* sum = scratch + k * kPiece;
                    const float gain = post.row<float>(row)[k];
                    for (std::int64_t i = 0; i < length; ++i) sum[i] = gain * sub_layer[i];
                    for (std::int64_t j = 0; j < count; ++j) {
                      const float factor = comb.row<float>(row)[j * count + k];
                      const float* residual = from + j * width;
                      for (std::int64_t i = 0; i < length; ++i) sum[i] += factor * residual[i];
                    }
                    round_values(op.rounding, sum, length);
                  }
                  for (std::int64_t k = 0; k < count; ++k)
                    std::memcpy(to + k * width, scratch + k * kPiece,
                                static_cast<std::size_t>(length) * sizeof(float));
                }
              });
}

}  // namespace deepinfer::cpu
