// The bundled model's evaluation cases on the reference, which takes minutes for them.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/golden_cases.h"
#include "tests/support/tiny_model.h"

namespace deepinfer {
namespace {

class TinyModelOnTheReference : public testing::TestWithParam<std::tuple<GraphMode, Numerics>> {};

TEST_P(TinyModelOnTheReference, AnswersItsEvaluationCases) {
  const auto& [mode, numerics] = GetParam();
  const std::vector<TinyCase> cases = tiny_eval_cases();
  ASSERT_GT(cases.size(), 10U);
  const auto got = run_cases(tiny_options("reference", numerics, mode), cases, false);
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(got[i], cases[i].expected) << cases[i].name;
}

INSTANTIATE_TEST_SUITE_P(All, TinyModelOnTheReference,
                         testing::Combine(golden_modes(), golden_numerics()), [](const auto& info) {
                           return golden_run_name("tiny", "reference", std::get<0>(info.param),
                                                  std::get<1>(info.param));
                         });

}  // namespace
}  // namespace deepinfer
