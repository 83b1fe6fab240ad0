#pragma once

// Rotary frequencies (model specification 2.8).

#include <memory>
#include <vector>

#include "deepinfer/model_config.h"

namespace deepinfer {

/// One frequency per channel pair, qk_rope_head_dim / 2 of them, every step rounded to fp32 as the
/// official code does. `compressed`: base compress_rope_theta with YaRN, for layers with a
/// compressed branch; else base rope_theta without.
std::vector<float> rope_frequencies(const ModelConfig& config, bool compressed);

}  // namespace deepinfer
