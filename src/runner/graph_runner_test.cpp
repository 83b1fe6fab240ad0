#include "deepinfer/graph_runner.h"

#include "runner/input_metadata.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

using GraphRunnerTest = RunnerFixture;

TEST_F(GraphRunnerTest, SizesArePowersOfTwoTheLargestBatchAndTheBucket) {
  GraphRunner runner(3, options());
  EXPECT_TRUE(runner.graphs().empty());
  std::vector<int> order;
  capture(runner, {.size = [&](const CaptureInfo& done, int index, int count) {
            EXPECT_EQ(index, static_cast<int>(order.size()));
            EXPECT_EQ(count, 4);
            EXPECT_EQ(done.prefill, done.rows == 6);
            EXPECT_GT(done.ops, 10U);
            order.push_back(done.rows);
          }});
  EXPECT_EQ(order, (std::vector<int>{6, 3, 2, 1}));  // largest first
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2, 3, 6}));
  EXPECT_EQ(runner.captures().size(), 4U);
  EXPECT_EQ(runner.compiles(), 4U);
  EXPECT_EQ(runner.replays(1), 0U);  // the run at capture is no replay
}

TEST_F(GraphRunnerTest, ASizeThatIsBothIsCapturedOnce) {
  Options o = options();
  o.prefill_bucket = 2;
  GraphRunner runner(2, o);
  capture(runner);
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2}));
}

TEST_F(GraphRunnerTest, CaptureTwiceReplacesTheFirst) {
  GraphRunner runner(1, options());
  capture(runner);
  const auto before = run_token(runner, 7).logits(0);
  const std::vector<float> wanted(before.begin(), before.end());
  capture(runner);
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 6}));
  EXPECT_EQ(runner.compiles(), 4U);
  EXPECT_EQ(runner.replays(1), 0U);
  const auto after = run_token(runner, 7).logits(0);
  EXPECT_EQ(std::vector<float>(after.begin(), after.end()), wanted);
}

TEST_F(GraphRunnerTest, DestroyTwiceThenReplayIsRefused) {
  GraphRunner runner(1, options());
  capture(runner);
  CapturedGraph& graph = runner.graph_for(1);
  runner.destroy();
  runner.destroy();
  EXPECT_TRUE(runner.graphs().empty());
  EXPECT_THROW(runner.replay(graph), Error);
  EXPECT_THROW(runner.input(graph), Error);
  EXPECT_THROW(runner.graph_for(1), Error);
  capture(runner);
  EXPECT_EQ(run_token(runner, 3).logits(0).size(), 544U);
}

TEST_F(GraphRunnerTest, GraphsOfAnotherRunnerAreRefused) {
  GraphRunner one(1, options());
  GraphRunner two(1, options());
  capture(one);
  capture(two);
  EXPECT_THROW(one.replay(two.graph_for(1)), Error);
}

TEST_F(GraphRunnerTest, OutputsOfEarlierReplaysAndUnknownNamesAreRefused) {
  GraphRunner runner(1, options());
  capture(runner);
  const StepOutput first = run_token(runner, 3);
  EXPECT_EQ(first.logits(0).size(), 544U);
  EXPECT_THROW(first.traced_f32("layer.0.streams"), Error);  // captured without trace
  const StepOutput second = run_token(runner, 4);
  EXPECT_THROW(first.logits(0), Error);
  EXPECT_NO_THROW(second.logits(0));
  runner.destroy();
  EXPECT_THROW(second.logits(0), Error);
}

TEST_F(GraphRunnerTest, ReplaysAreCountedBySize) {
  GraphRunner runner(2, options());
  capture(runner);
  run_token(runner, 3);
  run_token(runner, 3, 2);
  run_token(runner, 3, 2);
  run_token(runner, 3, 5);  // the bucket holds it
  EXPECT_EQ(runner.replays(1), 1U);
  EXPECT_EQ(runner.replays(2), 2U);
  EXPECT_EQ(runner.replays(6), 1U);
  EXPECT_EQ(runner.replays(4), 0U);
}

TEST_F(GraphRunnerTest, InputOnDeviceIsNotCopiedOver) {
  Options o = options();
  o.input_on_device = true;
  GraphRunner runner(1, o, true);
  capture(runner);
  CapturedGraph& graph = runner.graph_for(1);
  write_token(runner.device_input(graph), 9);
  const auto logits = runner.replay(graph).logits(0);
  const std::vector<float> on_device(logits.begin(), logits.end());
  GraphRunner host(1, options());
  capture(host);
  const auto copied = run_token(host, 9).logits(0);
  EXPECT_EQ(on_device, std::vector<float>(copied.begin(), copied.end()));
}

TEST_F(GraphRunnerTest, ABatchBelowOneIsRefused) { EXPECT_THROW(GraphRunner(0, options()), Error); }

}  // namespace
}  // namespace deepinfer
