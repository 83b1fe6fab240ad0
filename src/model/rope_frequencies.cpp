#include "model/rope_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace deepinfer {
namespace {

/// Blends each frequency with its stretched value over a ramp between two channel pairs.
void apply_yarn(std::vector<float>& frequencies, const YarnScaling& yarn, double base,
                int rotated) {
  const auto correction = [&](double beta) {
    return rotated *
           std::log(static_cast<double>(yarn.original_max_position_embeddings) /
                    (beta * 2 * std::numbers::pi)) /
           (2 * std::log(base));
  };
  const double low = std::max(std::floor(correction(yarn.beta_fast)), 0.0);
  const double high = std::min(std::ceil(correction(yarn.beta_slow)), rotated - 1.0);
  const auto width = static_cast<float>(std::max(high - low, 0.001));
  const auto factor = static_cast<float>(yarn.factor);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float ramp =
        std::clamp((static_cast<float>(i) - static_cast<float>(low)) / width, 0.0F, 1.0F);
    const float smooth = 1.0F - ramp;
    frequencies[i] = (frequencies[i] / factor) * (1.0F - smooth) + frequencies[i] * smooth;
  }
}

}  // namespace

std::vector<float> rope_frequencies(const ModelConfig& config, bool compressed) {
  const int rotated = config.qk_rope_head_dim;
  const double base = compressed ? config.compress_rope_theta : config.rope_theta;
  std::vector<float> frequencies(static_cast<std::size_t>(rotated / 2));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(rotated);
    frequencies[i] = 1.0F / std::pow(static_cast<float>(base), exponent);
  }
  if (compressed && config.has_yarn) apply_yarn(frequencies, config.yarn, base, rotated);
  return frequencies;
}

}  // namespace deepinfer
