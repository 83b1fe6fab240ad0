// Model specification 3.6, steps 3 to 6.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {
namespace {

constexpr double kSmallestDot = 1e-6;  // a literal of 3.6, step 4

double mean_square(const float* x, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum / static_cast<double>(n);
}

}  // namespace

void engram_gate(const EngramGate& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& streams = io.in(0);
  const WeightRef& q_weight = io.weight(2);
  const WeightRef& k_weight = io.weight(3);
  const std::int64_t hc = streams.shape[1];
  const std::int64_t width = streams.shape[2];
  for (std::int64_t t = 0; t < streams.shape[0]; ++t) {
    const float* kv = io.in(1).row<float>(t);
    const float* value = kv + hc * width;
    for (std::int64_t s = 0; s < hc; ++s) {
      const float* x = streams.row<float>(t) + s * width;
      const float* key = kv + s * width;
      double dot = 0;
      for (std::int64_t d = 0; d < width; ++d) {
        const double w = static_cast<double>(plain_element(q_weight, s * width + d)) *
                         plain_element(k_weight, s * width + d);
        dot += x[d] * w * key[d];
      }
      dot /=
          std::sqrt(mean_square(x, width) + op.eps) * std::sqrt(mean_square(key, width) + op.eps);
      dot /= std::sqrt(static_cast<double>(width));
      const double gate =
          sigmoid(std::copysign(std::sqrt(std::max(std::fabs(dot), kSmallestDot)), dot));
      io.out(1).row<float>(t)[s] = static_cast<float>(gate);
      float* result = io.out(0).row<float>(t) + s * width;
      for (std::int64_t d = 0; d < width; ++d)
        result[d] = rounded(x[d] + gate * value[d], op.rounding);
    }
  }
}

}  // namespace deepinfer::reference
