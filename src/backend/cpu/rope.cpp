#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_parts.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// Adjacent pairs, in place.
void rotate_pairs(float* pairs, const float* cosines, const float* sines, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float a = pairs[2 * i];
    const float b = pairs[2 * i + 1];
    pairs[2 * i] = a * cosines[i] - b * sines[i];
    pairs[2 * i + 1] = a * sines[i] + b * cosines[i];
  }
}

}  // namespace

std::size_t HeadRotation::bytes(const Rope& op) {
  return 2 * host::WorkspaceCarver::bytes_for<float>(op.frequencies->size());
}

HeadRotation::HeadRotation(const Rope& op, std::byte* workspace) : op_(op) {
  host::WorkspaceCarver carver(workspace);
  cosines_ = carver.take<float>(op.frequencies->size());
  sines_ = carver.take<float>(op.frequencies->size());
}

// The angle is rounded to fp32, as the model was trained; its cosine and sine are accurate.
void HeadRotation::fill_angles(float position) const {
  const std::vector<float>& frequencies = *op_.frequencies;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float theta = position * frequencies[i];
    cosines_[i] = static_cast<float>(std::cos(static_cast<double>(theta)));
    const auto sine = static_cast<float>(std::sin(static_cast<double>(theta)));
    sines_[i] = op_.inverse ? -sine : sine;
  }
}

void HeadRotation::rotate(std::int32_t position, std::int64_t width, float* row) const {
  const std::size_t pairs = op_.frequencies->size();
  const auto rotated = static_cast<std::int64_t>(2 * pairs);
  const std::int32_t first = std::max(position, 0) / op_.position_step * op_.position_step;
  fill_angles(static_cast<float>(first));
  for (std::int64_t end = op_.head_dim; end <= width; end += op_.head_dim) {
    float* tail = row + end - rotated;
    rotate_pairs(tail, cosines_, sines_, pairs);
    round_values(op_.rounding, tail, rotated);
  }
}

std::size_t rope_workspace(const Graph& /*graph*/, const Node& node, int threads) {
  return static_cast<std::size_t>(threads) * HeadRotation::bytes(std::get<Rope>(node.op));
}

void rope(const Rope& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const auto* positions = io.in(1).as<std::int32_t>();
  const TensorRef& y = io.out(0);
  const std::int64_t width = x.shape[1];
  const auto row_bytes = static_cast<std::size_t>(width) * sizeof(float);

  split_items(context, x.shape[0], width, [&](std::int64_t begin, std::int64_t end, int member) {
    const HeadRotation heads(
        op, context.workspace + static_cast<std::size_t>(member) * HeadRotation::bytes(op));
    for (std::int64_t row = begin; row < end; ++row) {
      const float* from = x.row<float>(row);
      float* to = y.row<float>(row);
      if (to != from) std::memcpy(to, from, row_bytes);
      heads.rotate(positions[row], width, to);
    }
  });
}

}  // namespace deepinfer::cpu
