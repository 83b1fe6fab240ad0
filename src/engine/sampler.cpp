#include "engine/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

/// splitmix64's finaliser (Steele, Lea and Flood 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

[[noreturn]] void out_of_range(const char* name, const char* expected, double got) {
  throw Error::bad_input(name, "is out of range",
                         {.expected = expected, .got = fmt::format("{}", got), .hint = {}});
}

}  // namespace

std::int32_t argmax(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double uniform(std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio, odd
  const std::uint64_t bits = mix(mix(seed + kGolden) + (index + 1) * kGolden);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

Sampler::Sampler(const SamplingParams& params) : params_(params) {
  if (!std::isfinite(params.temperature) || params.temperature < 0)
    out_of_range("temperature", "a number >= 0", params.temperature);
  if (!(params.top_p > 0 && params.top_p <= 1)) out_of_range("top_p", "in (0, 1]", params.top_p);
  if (!(params.min_p >= 0 && params.min_p <= 1)) out_of_range("min_p", "in [0, 1]", params.min_p);
  if (params.top_k < 0) out_of_range("top_k", "at least 0", params.top_k);
}

std::int32_t Sampler::sample(std::span<const float> logits, std::uint64_t index) {
  const std::int32_t best = argmax(logits);
  if (params_.temperature == 0) return best;

  const double largest = logits[static_cast<std::size_t>(best)];
  candidates_.clear();
  for (std::size_t id = 0; id < logits.size(); ++id)
    candidates_.emplace_back(std::exp((logits[id] - largest) / params_.temperature),
                             static_cast<std::int32_t>(id));
  // Most probable first, ties by id: every later sum runs in this order.
  std::sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (params_.top_k > 0 && static_cast<std::size_t>(params_.top_k) < candidates_.size())
    candidates_.resize(static_cast<std::size_t>(params_.top_k));

  double total = 0;
  for (const auto& candidate : candidates_) total += candidate.first;
  double kept = 0;
  std::size_t count = 0;
  while (count < candidates_.size()) {
    const bool enough = params_.top_p < 1 && kept >= params_.top_p * total;
    const bool too_small = candidates_[count].first < params_.min_p * candidates_.front().first;
    if (count > 0 && (enough || too_small)) break;
    kept += candidates_[count++].first;
  }

  double target = uniform(params_.seed, index) * kept;
  for (std::size_t i = 0; i < count; ++i) {
    target -= candidates_[i].first;
    if (target < 0) return candidates_[i].second;
  }
  return candidates_[count - 1].second;  // rounding left a crumb
}

}  // namespace deepinfer
