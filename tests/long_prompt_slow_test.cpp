// Fault B20 for a prompt that takes too long for the fast tests.

#include <gtest/gtest.h>

#include "tests/support/long_prompt.h"

namespace deepinfer {
namespace {

class LongestPromptArena : public testing::TestWithParam<GraphMode> {};

TEST_P(LongestPromptArena, B20_a_prompt_of_32k_tokens_runs_in_the_arena_of_one_of_1k) {
  const LongPromptRun first = run_long_prompt(1024, GetParam());
  expect_same_arena(run_long_prompt(32768, GetParam()), first);
}

INSTANTIATE_TEST_SUITE_P(Modes, LongestPromptArena,
                         testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace deepinfer
