#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

std::vector<float> logits_of(std::initializer_list<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::vector<double> frequencies(const SamplingParams& params, const std::vector<float>& logits) {
  Sampler sampler(params);
  std::vector<double> counts(logits.size());
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i)
    counts[static_cast<std::size_t>(sampler.sample(logits, static_cast<std::uint64_t>(i)))] +=
        1.0 / kDraws;
  return counts;
}

TEST(Argmax, TiesGoToTheLowestId) {
  EXPECT_EQ(argmax(std::vector<float>{1, 3, 3, 2}), 1);
  EXPECT_EQ(argmax(std::vector<float>{-2, -2}), 0);
}

TEST(Sampler, GreedyIgnoresTheSeed) {
  Sampler a({.temperature = 0, .seed = 1});
  Sampler b({.temperature = 0, .seed = 2});
  const std::vector<float> logits = {0.5F, 2, 1};
  EXPECT_EQ(a.sample(logits, 0), 1);
  EXPECT_EQ(b.sample(logits, 9), 1);
}

TEST(Sampler, FollowsTheDistribution) {
  const auto counts = frequencies({.temperature = 1, .seed = 7}, logits_of({0.5, 0.3, 0.2}));
  EXPECT_NEAR(counts[0], 0.5, 0.02);
  EXPECT_NEAR(counts[1], 0.3, 0.02);
  EXPECT_NEAR(counts[2], 0.2, 0.02);
}

TEST(Sampler, TemperatureFlattensOrSharpens) {
  // p^(1/T) renormalised: T = 0.5 squares the probabilities.
  const auto counts = frequencies({.temperature = 0.5F, .seed = 7}, logits_of({0.6, 0.4}));
  EXPECT_NEAR(counts[0], 0.36 / 0.52, 0.02);
}

TEST(Sampler, TopKKeepsTheLargest) {
  const auto counts =
      frequencies({.temperature = 1, .top_k = 2, .seed = 3}, logits_of({0.2, 0.5, 0.3}));
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[1], 0.5 / 0.8, 0.02);
}

TEST(Sampler, TopPKeepsTheSmallestSufficientSet) {
  const auto counts =
      frequencies({.temperature = 1, .top_p = 0.6F, .seed = 3}, logits_of({0.5, 0.3, 0.2}));
  EXPECT_EQ(counts[2], 0);
  EXPECT_NEAR(counts[0], 0.5 / 0.8, 0.02);
}

TEST(Sampler, MinPDropsBelowAShareOfTheLargest) {
  const auto counts =
      frequencies({.temperature = 1, .min_p = 0.5F, .seed = 3}, logits_of({0.5, 0.3, 0.2}));
  EXPECT_EQ(counts[2], 0);
  EXPECT_GT(counts[1], 0);
}

// Where a cut falls on equal or exactly sufficient probabilities: equal logits make every sum
// exact.
TEST(Sampler, CutsAreSharp) {
  const std::vector<float> tied = {0, 3, 3, 1};
  EXPECT_NEAR(frequencies({.temperature = 1, .top_k = 1, .seed = 3}, tied)[1], 1, 1e-9)
      << "lowest id";
  const std::vector<float> equal = {2, 2};
  const auto half = frequencies({.temperature = 1, .top_p = 0.5F, .seed = 3}, equal);
  EXPECT_EQ(half[1], 0) << "one of two equal tokens already has probability 0.5";
  const auto all = frequencies({.temperature = 1, .min_p = 1, .seed = 3}, equal);
  EXPECT_GT(all[1], 0.4) << "a token exactly at the share stays";
}

TEST(Sampler, SameSeedAndIndexGiveTheSameTokenWhateverWasDrawnBefore) {
  const std::vector<float> logits = logits_of({0.25, 0.25, 0.25, 0.25});
  Sampler fresh({.temperature = 1, .seed = 11});
  const std::int32_t wanted = fresh.sample(logits, 5);
  Sampler used({.temperature = 1, .seed = 11});
  for (std::uint64_t i = 0; i < 5; ++i) used.sample(logits, i);
  EXPECT_EQ(used.sample(logits, 5), wanted);
}

TEST(Sampler, SeedsDiffer) {
  const std::vector<float> logits(64, 0.0F);
  std::set<std::int32_t> tokens;
  for (std::uint64_t seed = 0; seed < 32; ++seed)
    tokens.insert(Sampler({.temperature = 1, .seed = seed}).sample(logits, 0));
  EXPECT_GT(tokens.size(), 15U);
}

TEST(Sampler, RefusesParametersOutOfRange) {
  EXPECT_THROW(Sampler({.temperature = -1}), Error);
  EXPECT_THROW(Sampler({.temperature = NAN}), Error);
  EXPECT_THROW(Sampler({.top_p = 0}), Error);
  EXPECT_THROW(Sampler({.min_p = 1.5F}), Error);
  EXPECT_THROW(Sampler({.top_k = -1}), Error);
}

}  // namespace
}  // namespace deepinfer
