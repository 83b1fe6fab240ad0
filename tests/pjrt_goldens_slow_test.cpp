// Every golden checkpoint and the bundled model's evaluation cases on a PJRT plug-in for the CPU,
// in every graph mode. Compiling takes most of the time. Skipped where `make pjrt` was not run.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/golden_cases.h"
#include "tests/support/pjrt_plugin.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"
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

class SizesOnPjrt : public testing::TestWithParam<GraphMode> {};

/// Every size with all its rows live, against op-by-op runs of one row on cpu.
TEST_P(SizesOnPjrt, E11_every_size_with_all_rows_live_is_as_eager) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  constexpr int kBatch = 8;
  Options options = test_options("cpu", Numerics::fp32);
  options.graph_mode = GraphMode::eager;
  options.max_batch = kBatch;
  options.prefill_bucket = 16;
  options.max_context = 64;
  options.block_tokens = 8;
  const auto cpu = open_runtime("t41", options);
  options.backend = BackendKind::pjrt;
  options.pjrt_plugin = kPjrtPlugin;
  options.graph_mode = GetParam();
  const auto pjrt = open_runtime("t41", options);
  const auto prompt = [](std::size_t i) { return random_tokens(50 + i, 4 + i); };
  std::vector<std::vector<float>> expected;
  for (std::size_t i = 0; i < kBatch; ++i) expected.push_back(last_logits(*cpu, prompt(i)));
  for (const int size : {1, 2, 4, kBatch}) {
    StepScript script(*pjrt);
    std::vector<StepScript::Part> last;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      const std::size_t sequence = script.open(prompt(i));
      script.step({{sequence, static_cast<int>(script.left(sequence)) - 1}});
      last.push_back({sequence, 1});
    }
    const auto logits = script.step_at_size(size, last);
    for (std::size_t i = 0; i < logits.size(); ++i)
      EXPECT_LE(largest_difference(expected[i], logits[i]), 1e-3)
          << "size " << size << ", row " << i;
    for (const StepScript::Part& part : last) script.close(part.sequence);
  }
  StepScript bucket(*pjrt);
  const std::vector<std::int32_t> full = random_tokens(77, 16);
  const auto logits = bucket.step_at_size(16, {{bucket.open(full), 16}});
  EXPECT_LE(largest_difference(last_logits(*cpu, full), logits.front()), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, SizesOnPjrt, golden_modes(),
                         [](const auto& info) { return std::string(name_of(info.param)); });

INSTANTIATE_TEST_SUITE_P(All, TinyModelOnPjrt, golden_modes(),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace deepinfer
