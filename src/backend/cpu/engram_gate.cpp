#include <algorithm>
#include <cmath>

#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// sum of x * weight * key in double, in fixed lanes like dot_in_double().
double weighted_dot(const float* x, const float* weight, const float* key, std::int64_t count) {
  constexpr int kLanes = 8;
  double lanes[kLanes] = {};
  for (std::int64_t i = 0; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(weight[i + lane]) *
                     static_cast<double>(key[i + lane]);
  for (std::int64_t i = count / kLanes * kLanes; i < count; ++i)
    lanes[i % kLanes] +=
        static_cast<double>(x[i]) * static_cast<double>(weight[i]) * static_cast<double>(key[i]);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

float gate_of(double dot) {
  constexpr double kSmallest = 1e-6;  // model specification 3.6, step 4
  return static_cast<float>(
      sigmoid(std::copysign(std::sqrt(std::max(std::abs(dot), kSmallest)), dot)));
}

std::size_t weight_count(const Graph& graph, const Node& node) {
  const Shape& streams = graph.value(node.operands[0]).shape;
  return static_cast<std::size_t>(streams[1] * streams[2]);
}

}  // namespace

std::size_t engram_gate_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  return 2 * host::WorkspaceCarver::bytes_for<float>(weight_count(graph, node));
}

void engram_gate(const EngramGate& op, const Operands& io, KernelContext& context) {
  const TensorRef& old_streams = io.in(0);
  const TensorRef& kv = io.in(1);
  const TensorRef& streams = io.out(0);
  const TensorRef& gates = io.out(1);
  const std::int64_t count = streams.shape[1];
  const std::int64_t width = streams.shape[2];

  // The product of the two weights, once for all rows; exact in fp32 for 16-bit weights.
  host::WorkspaceCarver carver(context.workspace);
  auto* weight = carver.take<float>(static_cast<std::size_t>(count * width));
  auto* k_weight = carver.take<float>(static_cast<std::size_t>(count * width));
  widen(io.weight(2), 0, count * width, weight);
  widen(io.weight(3), 0, count * width, k_weight);
  for (std::int64_t i = 0; i < count * width; ++i) weight[i] *= k_weight[i];

  const double root = std::sqrt(static_cast<double>(width));
  split_items(
      context, streams.shape[0] * count, 4 * width, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t item = begin; item < end; ++item) {
          const std::int64_t row = item / count;
          const std::int64_t stream = item % count;
          const float* x = old_streams.row<float>(row) + stream * width;
          const float* key = kv.row<float>(row) + stream * width;
          const float* value = kv.row<float>(row) + count * width;
          const double dot = weighted_dot(x, weight + stream * width, key, width) *
                             inverse_rms(x, width, op.eps) * inverse_rms(key, width, op.eps) / root;
          const float gate = gate_of(dot);
          gates.row<float>(row)[stream] = gate;
          float* to = streams.row<float>(row) + stream * width;
          for (std::int64_t i = 0; i < width; ++i) to[i] = x[i] + gate * value[i];
          round_values(op.rounding, to, width);
        }
      });
}

}  // namespace deepinfer::cpu
