#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// Cosines and sines of one row: [pairs] each.
struct Angles {
  float* cosines;
  float* sines;
};

/// The angle is rounded to fp32, as the model was trained; its cosine and sine are accurate.
void fill_angles(const std::vector<float>& frequencies, float position, bool inverse,
                 const Angles& angles) {
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float theta = position * frequencies[i];
    angles.cosines[i] = static_cast<float>(std::cos(static_cast<double>(theta)));
    const auto sine = static_cast<float>(std::sin(static_cast<double>(theta)));
    angles.sines[i] = inverse ? -sine : sine;
  }
}

/// Adjacent pairs; `to` may be `from`.
void rotate(const float* from, const Angles& angles, std::size_t pairs, float* to) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float a = from[2 * i];
    const float b = from[2 * i + 1];
    to[2 * i] = a * angles.cosines[i] - b * angles.sines[i];
    to[2 * i + 1] = a * angles.sines[i] + b * angles.cosines[i];
  }
}

std::size_t table_bytes(std::size_t pairs) {
  return 2 * host::WorkspaceCarver::bytes_for<float>(pairs);
}

}  // namespace

std::size_t rope_workspace(const Graph& /*graph*/, const Node& node, int threads) {
  return static_cast<std::size_t>(threads) *
         table_bytes(std::get<Rope>(node.op).frequencies->size());
}

void rope(const Rope& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const auto* positions = io.in(1).as<std::int32_t>();
  const TensorRef& y = io.out(0);
  const std::size_t pairs = op.frequencies->size();
  const auto rotated = static_cast<std::int64_t>(2 * pairs);
  const std::int64_t heads = x.shape[1] / op.head_dim;
  const std::int64_t kept = op.head_dim - rotated;
  const auto row_bytes = static_cast<std::size_t>(x.shape[1]) * sizeof(float);

  split_items(context, x.shape[0], x.shape[1],
              [&](std::int64_t begin, std::int64_t end, int member) {
                host::WorkspaceCarver carver(context.workspace +
                                             static_cast<std::size_t>(member) * table_bytes(pairs));
                Angles angles{};
                angles.cosines = carver.take<float>(pairs);
                angles.sines = carver.take<float>(pairs);
                for (std::int64_t row = begin; row < end; ++row) {
                  const std::int32_t position = std::max(positions[row], 0);
                  const std::int32_t first = position / op.position_step * op.position_step;
                  fill_angles(*op.frequencies, static_cast<float>(first), op.inverse, angles);
                  const float* from = x.row<float>(row);
                  float* to = y.row<float>(row);
                  if (to != from) std::memcpy(to, from, row_bytes);
                  for (std::int64_t head = 0; head < heads; ++head) {
                    float* tail = to + head * op.head_dim + kept;
                    rotate(tail, angles, pairs, tail);
                    round_values(op.rounding, tail, rotated);
                  }
                }
              });
}

}  // namespace deepinfer::cpu
