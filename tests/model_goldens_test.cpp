// Whole tiny models against the goldens: last logits and greedy continuations, on every backend, in
// all graph modes and both numerics. Long prompts on the reference: model_goldens_slow_test.cpp.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/golden_cases.h"

namespace deepinfer {
namespace {

class ModelGoldens : public testing::TestWithParam<GoldenCase> {};

TEST_P(ModelGoldens, LogitsAndGreedyTokens) {
  GoldenRun run = golden_run(GetParam());
  const bool reference = run.backend == "reference";
  // What the reference takes too long for here is in the slow tests.
  run.longest_prompt = reference ? 48 : 131;
  run.all_chunkings = !reference;
  run.greedy_tokens = reference ? 4 : 64;
  check_goldens(run);
}

INSTANTIATE_TEST_SUITE_P(All, ModelGoldens, golden_cases(), golden_case_name);

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
                         testing::Combine(golden_models(), golden_numerics()),
                         [](const auto& info) {
                           return golden_run_name(std::get<0>(info.param), "cpu", GraphMode::whole,
                                                  std::get<1>(info.param));
                         });

}  // namespace
}  // namespace deepinfer
