// The bundled model: its golden continuations, and its own evaluation cases through the engine.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/golden_cases.h"
#include "tests/support/test_runtime.h"
#include "tests/support/tiny_model.h"

namespace deepinfer {
namespace {

class TinyModel : public testing::TestWithParam<std::tuple<GraphMode, Numerics>> {
 protected:
  static void expect_answers(const std::vector<TinyCase>& cases, bool ignore_eos) {
    const auto& [mode, numerics] = GetParam();
    const auto got = run_cases(tiny_options("cpu", numerics, mode), cases, ignore_eos);
    for (std::size_t i = 0; i < cases.size(); ++i)
      EXPECT_EQ(got[i], cases[i].expected) << cases[i].name;
  }
};

TEST_P(TinyModel, ContinuesAsTheGoldensDo) { expect_answers(tiny_golden_cases(), true); }

TEST_P(TinyModel, AnswersItsEvaluationCases) {
  const std::vector<TinyCase> cases = tiny_eval_cases();
  ASSERT_GT(cases.size(), 10U);
  expect_answers(cases, false);
}

INSTANTIATE_TEST_SUITE_P(All, TinyModel, testing::Combine(golden_modes(), golden_numerics()),
                         [](const auto& info) {
                           return golden_run_name("tiny", "cpu", std::get<0>(info.param),
                                                  std::get<1>(info.param));
                         });

TEST(TinyModelReference, BeginsItsGoldenContinuation) {
  Options options = tiny_options("reference", Numerics::fp32, GraphMode::whole);
  options.max_batch = 1;
  options.prefill_bucket = 16;
  options.max_context = 64;
  const TinyCase item = tiny_golden_cases().front();
  Runtime runtime(open_model(options.model, options.engram), options);
  constexpr std::size_t kTokens = 8;
  EXPECT_EQ(greedy(runtime, item.prompt, kTokens),
            std::vector<std::int32_t>(item.expected.begin(), item.expected.begin() + kTokens));
}

}  // namespace
}  // namespace deepinfer
