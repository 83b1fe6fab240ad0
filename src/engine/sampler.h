#pragma once

// From logits to a token. Pure: the choice depends on the logits, the parameters and the index of
// the token in its request, so that batch mates and scheduling cannot change it.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "deepinfer/engine.h"

namespace deepinfer {

/// The largest logit, the lowest id on a tie.
std::int32_t argmax(std::span<const float> logits);

class Sampler {
 public:
  /// Throws Error (bad_input) naming the parameter that is out of range.
  explicit Sampler(const SamplingParams& params);

  /// Token number `index` of the request. Order of the filters: top-k, top-p, min-p.
  std::int32_t sample(std::span<const float> logits, std::uint64_t index);

 private:
  SamplingParams params_;
  std::vector<std::pair<double, std::int32_t>> candidates_;  // (probability, id), reused per call
};

/// Uniform in [0, 1) from (seed, index): a counter-based generator, the same on every machine.
double uniform(std::uint64_t seed, std::uint64_t index);

}  // namespace deepinfer
