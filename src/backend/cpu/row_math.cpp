#include "backend/cpu/row_math.h"

#include <bit>
#include <cmath>

namespace deepinfer::cpu {

void round_values(Rounding rounding, float* values, std::int64_t count) {
  if (rounding == Rounding::none) return;
  // As round_bf16(), but without a branch, so that the loop becomes vector code.
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    const std::uint32_t nearest = bits + 0x7fff + ((bits >> 16) & 1);
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    const std::uint32_t kept = is_nan ? (bits | 0x00400000) : nearest;
    values[i] = std::bit_cast<float>(kept & 0xffff0000);
  }
}

double dot_in_double(const float* x, const float* y, std::int64_t count) {
  constexpr int kLanes = 8;
  double lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(y[i + lane]);
  for (std::int64_t i = whole; i < count; ++i)
    lanes[i - whole] += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

double inverse_rms(const float* x, std::int64_t count, float eps) {
  const double mean = dot_in_double(x, x, count) / static_cast<double>(count);
  return 1 / std::sqrt(mean + static_cast<double>(eps));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace deepinfer::cpu
