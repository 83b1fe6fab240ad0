// Context buckets: a size captured for several lengths of sequences, and which of them runs.

#include "model/step_inputs.h"
#include "runner/captured_graph.h"
#include "runner/fake_backend_test.h"
#include "runner/runner_fixture_test.h"
#include "runner/step_sizes.h"

namespace deepinfer {
namespace {

using Contexts = std::vector<std::int64_t>;

TEST(StepContexts, GrowFourfoldUpToTheLongestSequence) {
  Options options;
  EXPECT_EQ(step_contexts(options, 100000), (Contexts{100000}));
  options.context_bucket = 0;
  EXPECT_EQ(step_contexts(options, 100000), (Contexts{100000}));
  options.context_bucket = 1000;
  EXPECT_EQ(step_contexts(options, 100000), (Contexts{1000, 4000, 16000, 64000, 100000}));
  EXPECT_EQ(step_contexts(options, 4000), (Contexts{1000, 4000}));
  EXPECT_EQ(step_contexts(options, 1000), (Contexts{1000}));
  EXPECT_EQ(step_contexts(options, 10), (Contexts{10}));
}

TEST(StepContexts, ADeviceHasThemUnlessToldNotTo) {
  Options options;
  options.backend = BackendKind::pjrt;
  EXPECT_EQ(step_contexts(options, 20000), (Contexts{4096, 16384, 20000}));
  options.context_bucket = 0;
  EXPECT_EQ(step_contexts(options, 20000), (Contexts{20000}));
}

class ContextBuckets : public RunnerFixture {
 protected:
  static Options bucketed() {
    Options bucketed = options();
    bucketed.context_bucket = 10;  // blocks hold 8: a table of 2 columns for 16 positions
    return bucketed;
  }
  /// "6/64 6/40 …"
  static std::string text_of(const std::vector<CaptureInfo>& captures) {
    std::string text;
    for (const CaptureInfo& info : captures)
      text += (text.empty() ? "" : " ") + std::to_string(info.rows) + "/" +
              std::to_string(info.context);
    return text;
  }

  FakeDevice device_;
};

TEST_F(ContextBuckets, AnErrorNamesTheLengthThatItsProgramIsFor) {
  device_.refused = {{2, GraphMode::whole}};
  Options whole = bucketed();
  whole.graph_mode = GraphMode::whole;
  GraphRunner runner(2, whole, false, fake_backend(device_));
  const std::string text = error_text([&] { capture(runner); });
  EXPECT_EQ(text.rfind("[step of 2 rows, sequences of up to 64] cannot be one graph", 0), 0U)
      << text;
}

TEST_F(ContextBuckets, EverySizeIsCapturedForEveryLengthLargestFirst) {
  GraphRunner runner(2, bucketed(), false, fake_backend(device_));
  std::vector<CaptureInfo> told;
  capture(runner, {.size = [&](const CaptureInfo& done, int index, int count) {
            EXPECT_EQ(index, static_cast<int>(told.size()));
            EXPECT_EQ(count, 9);
            told.push_back(done);
          }});
  EXPECT_EQ(text_of(told), "6/64 6/40 6/10 2/64 2/40 2/10 1/64 1/40 1/10");
  EXPECT_EQ(text_of(runner.captures()), "1/10 1/40 1/64 2/10 2/40 2/64 6/10 6/40 6/64");
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2, 6}));
}

TEST_F(ContextBuckets, TheSmallestThatHoldsRowsAndLengthRuns) {
  GraphRunner runner(2, bucketed(), false, fake_backend(device_));
  capture(runner);
  const auto chosen = [&](int rows, std::int64_t context) {
    const CaptureInfo& info = runner.graph_for(rows, context).step().info;
    return std::pair(info.rows, info.context);
  };
  EXPECT_EQ(chosen(1, 1), std::pair(1, std::int64_t{10}));
  EXPECT_EQ(chosen(1, 10), std::pair(1, std::int64_t{10}));
  EXPECT_EQ(chosen(2, 11), std::pair(2, std::int64_t{40}));
  EXPECT_EQ(chosen(3, 40), std::pair(6, std::int64_t{40}));
  EXPECT_EQ(chosen(3, 41), std::pair(6, std::int64_t{64}));
  // A caller that names no length gets a graph for any.
  EXPECT_EQ(runner.graph_for(1).step().info.context, kContext);
  EXPECT_NE(error_text([&] { runner.graph_for(1, 65); })
                .find("no captured graph holds so long a sequence, expected at most 64 positions, "
                      "got 65"),
            std::string::npos);
}

TEST_F(ContextBuckets, AGraphsBlockTableHasTheColumnsOfItsLength) {
  GraphRunner runner(1, bucketed(), false, fake_backend(device_));
  capture(runner);
  const auto columns = [&](std::int64_t context) {
    InputMetadata& input = runner.input(runner.graph_for(1, context));
    return input.i32(step_inputs::kBlockTable).size() / static_cast<std::size_t>(geometry().slots);
  };
  EXPECT_EQ(columns(10), 2U);
  EXPECT_EQ(columns(40), 5U);
  EXPECT_EQ(columns(64), 8U);
}

// A sequence owns blocks for all that it may become; a graph for shorter ones sees those begun.
TEST_F(ContextBuckets, BlocksThatASequenceHasNotBegunAreNotInTheTable) {
  GraphRunner runner(1, bucketed(), false, fake_backend(device_));
  capture(runner);
  InputMetadata& input = runner.input(runner.graph_for(1, 10));
  const std::vector<std::int32_t> tokens(10, 3);
  const std::vector<std::int32_t> blocks = {4, 5, 6, 7};
  SequenceMetadata sequence{.tokens = tokens,
                            .first_position = 7,
                            .rows = 1,
                            .slot = 1,
                            .blocks = blocks,
                            .wants_logits = true,
                            .all_logits = false};
  const auto scratch = static_cast<std::int32_t>(geometry().scratch_block());
  const auto row = [&] {
    const auto table = input.i32(step_inputs::kBlockTable).subspan(2, 2);
    return std::vector<std::int32_t>(table.begin(), table.end());
  };
  prepare_({&sequence, 1}, input);
  EXPECT_EQ(row(), (std::vector<std::int32_t>{4, scratch}));
  sequence.first_position = 8;
  prepare_({&sequence, 1}, input);
  EXPECT_EQ(row(), (std::vector<std::int32_t>{4, 5}));
  const std::vector<std::int32_t> longer(17, 3);
  sequence.tokens = longer;
  sequence.first_position = 16;
  EXPECT_NE(error_text([&] {
              prepare_({&sequence, 1}, input);
            }).find("number of blocks"),
            std::string::npos);
}

TEST_F(ContextBuckets, ReplaysAreCountedPerGraph) {
  GraphRunner runner(1, bucketed(), false, fake_backend(device_));
  capture(runner);
  for (const std::int64_t context : {10, 40, 40, 64}) {
    CapturedGraph& graph = runner.graph_for(1, context);
    write_token(runner.input(graph), 3);
    runner.replay(graph);
  }
  EXPECT_EQ(runner.replays(1), 4U);
  std::vector<std::uint64_t> counts;
  for (const CaptureInfo& info : runner.captures()) counts.push_back(info.replays);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 2, 1, 0, 0, 0}));
}

}  // namespace
}  // namespace deepinfer
