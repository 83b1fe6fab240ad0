#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// One row's (a, g): in this step's buffers or in the state of its sequence.
struct Pending {
  const float* a;
  const float* g;
};

/// Softmax over two gates, channel by channel, without the larger one's exp.
void pool(const Pending& first, const Pending& second, std::int64_t width, float* out) {
  for (std::int64_t i = 0; i < width; ++i) {
    const double lead = static_cast<double>(second.g[i]) - static_cast<double>(first.g[i]);
    const double ratio = std::exp(-std::abs(lead));
    const double larger = 1 / (1 + ratio);
    const double smaller = ratio / (1 + ratio);
    out[i] = static_cast<float>(lead > 0 ? smaller * first.a[i] + larger * second.a[i]
                                         : larger * first.a[i] + smaller * second.a[i]);
  }
}

}  // namespace

void compress(const Compress& op, const Operands& io, KernelContext& context) {
  const TensorRef& a = io.in(0);
  const TensorRef& g = io.in(1);
  const TensorRef& state = io.in(2);
  const auto* slots = io.in(3).as<std::int32_t>();
  const auto* positions = io.in(4).as<std::int32_t>();
  const auto* prev_rows = io.in(5).as<std::int32_t>();
  const TensorRef& pooled = io.out(0);
  const std::int64_t rows = a.shape[0];
  const std::int64_t width = a.shape[1];
  constexpr std::int64_t kCostOfExp = 16;  // element visits that one exp takes as long as

  split_items(context, rows, width * kCostOfExp, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      float* to = pooled.row<float>(row);
      if (positions[row] < 0 || positions[row] % 2 == 0) {
        std::fill_n(to, width, 0.0F);
        continue;
      }
      const std::int32_t prev = prev_rows[row];
      const float* kept = prev < 0 ? state.row<float>(slots[row]) : nullptr;
      const Pending first =
          prev < 0 ? Pending{kept, kept + width} : Pending{a.row<float>(prev), g.row<float>(prev)};
      pool(first, {a.row<float>(row), g.row<float>(row)}, width, to);
      round_values(op.rounding, to, width);
    }
  });

  // Only now, when every row has read the state of its sequence.
  const std::size_t bytes = static_cast<std::size_t>(width) * sizeof(float);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (positions[row] < 0 || positions[row] % 2 != 0) continue;
    const bool followed = row + 1 < rows && positions[row + 1] >= 0 && prev_rows[row + 1] == row;
    if (followed) continue;
    float* kept = state.row<float>(slots[row]);
    std::memcpy(kept, a.row<float>(row), bytes);
    std::memcpy(kept + width, g.row<float>(row), bytes);
  }
}

}  // namespace deepinfer::cpu
