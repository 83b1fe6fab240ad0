#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

RowCase router_case(const Router& op, int rows, std::int64_t experts,
                    const std::vector<float>& bias) {
  RowCase step(op, rows);
  step.random("logits", {experts}, 4).shared([=](OpFixture& f) {
    return f.plain_weight("bias", {experts}, bias);
  });
  return step;
}

TEST(CpuRouter, AgreesWithTheReference) {
  for (const ScoringFunc scoring :
       {ScoringFunc::sqrtsoftplus, ScoringFunc::sigmoid, ScoringFunc::softmax})
    for (const bool normalise : {true, false})
      for (const std::int64_t experts : {6, 17, 256})
        router_case({.experts_per_token = 6,
                     .scoring = scoring,
                     .temperature = 1.5F,
                     .normalise = normalise,
                     .route_scale = 2.5F},
                    7, experts, random_values(2, static_cast<std::size_t>(experts), 0.1F))
            .check(1e-6);
}

TEST(CpuRouter, EqualScoresGoToTheLowerExpert) {
  for (const NamedBackend& named : cpu_backends()) {
    OpFixture f;
    const Given logits = f.activation("logits", {1, 6}, {1, 2, 2, 1, 2, 0});
    const Given bias = f.plain_weight("bias", {6}, std::vector<float>(6, 0.0F));
    const OpRun run = f.run(*named.backend, Router{.experts_per_token = 5}, {logits, bias});
    EXPECT_EQ(run.i32(0), (std::vector<std::int32_t>{1, 2, 4, 0, 3}));
  }
}

TEST(CpuRouter, BiasChoosesButDoesNotWeigh) {
  for (const NamedBackend& named : cpu_backends()) {
    OpFixture f;
    const Given logits = f.activation("logits", {1, 3}, {3, 1, 1});
    const Given bias = f.plain_weight("bias", {3}, {0, 0, 50});
    const OpRun run = f.run(*named.backend, Router{.experts_per_token = 2}, {logits, bias});
    EXPECT_EQ(run.i32(0), (std::vector<std::int32_t>{2, 0}));
    EXPECT_LT(run.f32(1)[0], run.f32(1)[1]);
  }
}

TEST(CpuRouter, LogitsThatAreNoNumbersStillChooseDistinctExperts) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const NamedBackend& named : cpu_backends()) {
    OpFixture f;
    const Given logits = f.activation("logits", {1, 4}, {nan, nan, nan, 1});
    const Given bias = f.plain_weight("bias", {4}, std::vector<float>(4, 0.0F));
    const OpRun run = f.run(*named.backend, Router{.experts_per_token = 3}, {logits, bias});
    EXPECT_EQ(run.i32(0), (std::vector<std::int32_t>{3, 0, 1}));
  }
}

}  // namespace
}  // namespace deepinfer::cpu
