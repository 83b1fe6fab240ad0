// Whole tiny models against the goldens: last logits and greedy continuations, on every backend, in
// all graph modes and both numerics. Long prompts on the reference: model_goldens_slow_test.cpp.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/golden_checks.h"

namespace deepinfer {
namespace {

using Case = std::tuple<std::string, std::string, GraphMode, Numerics>;

class ModelGoldens : public testing::TestWithParam<Case> {};

TEST_P(ModelGoldens, LogitsAndGreedyTokens) {
  const auto& [model, backend, mode, numerics] = GetParam();
  const bool reference = backend == "reference";
  GoldenRun run{.model = model, .backend = backend, .mode = mode, .numerics = numerics};
  // What the reference takes too long for here is in the slow tests.
  run.longest_prompt = reference ? 48 : 131;
  run.all_chunkings = !reference;
  run.greedy_tokens = reference ? 4 : 64;
  check_goldens(run);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModelGoldens,
    testing::Combine(testing::Values("t41", "t41-odd", "t41-saturated", "t41-draft"),
                     testing::Values("reference", "cpu"),
                     testing::Values(GraphMode::eager, GraphMode::whole, GraphMode::regions),
                     testing::Values(Numerics::fp32, Numerics::official)),
    [](const auto& info) {
      return golden_run_name(std::get<0>(info.param), std::get<1>(info.param),
                             std::get<2>(info.param), std::get<3>(info.param));
    });

class LongPromptGoldens : public testing::TestWithParam<std::tuple<std::string, Numerics>> {};

TEST_P(LongPromptGoldens, On715Tokens) {
  GoldenRun run{.model = std::get<0>(GetParam()),
                .backend = "cpu",
                .mode = GraphMode::whole,
                .numerics = std::get<1>(GetParam())};
  run.only_prompt = "p715";
  run.greedy_tokens = 16;
  check_goldens(run);
}

INSTANTIATE_TEST_SUITE_P(All, LongPromptGoldens,
                         testing::Combine(testing::Values("t41", "t41-odd", "t41-saturated"),
                                          testing::Values(Numerics::fp32, Numerics::official)),
                         [](const auto& info) {
                           return golden_run_name(std::get<0>(info.param), "cpu", GraphMode::whole,
                                                  std::get<1>(info.param));
                         });

}  // namespace
}  // namespace deepinfer
