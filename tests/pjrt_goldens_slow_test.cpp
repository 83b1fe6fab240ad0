// Every golden checkpoint and the bundled model's evaluation cases on a PJRT plug-in for the CPU,
// in every graph mode. Compiling takes most of the time. Skipped where `make pjrt` was not run.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/golden_cases.h"
#include "tests/support/pjrt_plugin.h"
#include "tests/support/tiny_model.h"

namespace deepinfer {
namespace {

class AllPjrtGoldens : public testing::TestWithParam<std::tuple<std::string, GraphMode, Numerics>> {
};

/// Held to what cpu is held to (golden_checks.cpp).
TEST_P(AllPjrtGoldens, LogitsAndGreedyTokens) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  const auto& [model, mode, numerics] = GetParam();
  GoldenRun run{
      .model = model, .backend = "pjrt", .mode = mode, .numerics = numerics, .longest_prompt = 48};
  run.all_chunkings = false;  // another size is another program, whose sums may round differently
  run.greedy_tokens = 16;
  run.pjrt_plugin = kPjrtPlugin;
  check_goldens(run);
}

INSTANTIATE_TEST_SUITE_P(All, AllPjrtGoldens,
                         testing::Combine(golden_models(), golden_modes(), golden_numerics()),
                         [](const auto& info) {
                           return golden_run_name(std::get<0>(info.param), "pjrt",
                                                  std::get<1>(info.param), std::get<2>(info.param));
                         });

class TinyModelOnPjrt : public testing::TestWithParam<GraphMode> {};

TEST_P(TinyModelOnPjrt, AnswersItsEvaluationCases) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  const std::vector<TinyCase> cases = tiny_eval_cases();
  ASSERT_GT(cases.size(), 10U);
  Options options = tiny_options("pjrt", Numerics::official, GetParam());
  options.pjrt_plugin = kPjrtPlugin;
  options.max_batch = 1;
  options.prefill_bucket = 128;
  options.max_context = 1024;
  const auto got = run_cases(options, cases, false);
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(got[i], cases[i].expected) << cases[i].name;
}

INSTANTIATE_TEST_SUITE_P(All, TinyModelOnPjrt, golden_modes(),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace deepinfer
