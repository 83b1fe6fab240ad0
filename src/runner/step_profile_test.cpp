#include "runner/step_profile.h"

#include <gtest/gtest.h>

#include <thread>

namespace deepinfer {
namespace {

TEST(StepProfile, TheTableHasALinePerOp) {
  const ObservedOp linear{.place = "layers.0.attn",
                          .name = "linear",
                          .cost = {.bytes = 3'000'000, .flops = 8'000'000},
                          .region = 0};
  const ObservedOp head{
      .place = "model", .name = "lm_head", .cost = {.bytes = 1000, .flops = 0}, .region = -1};
  const std::vector<ProfiledOp> ops = {{.op = &linear, .node = 4, .ms = 1.5, .share = 0.75},
                                       {.op = &head, .node = 9, .ms = 0.25, .share = 0.125}};
  const StepProfile profile{
      .step = 8, .rows = 4, .total_ms = 2, .ops_ms = 1.75, .op_count = 12, .ops = ops};
  EXPECT_EQ(
      to_text(profile),
      "profile of step 8 (rows=4): 2.000 ms, 12 ops 1.750 ms; the 2 most expensive\n"
      "place                        op                      ms        bytes    GB/s          flops"
      "  GFLOP/s   share\n"
      "layers.0.attn                linear              1.5000      3000000    2.00        8000000"
      "     5.33   75.0%\n"
      "model                        lm_head             0.2500         1000    0.00              0"
      "     0.00   12.5%");
}

TEST(StepProfile, TheEighthStepIsProfiledOnceAndItsFortyDearestOpsShown) {
  constexpr int kOps = 50;
  constexpr int kSlow = 17;
  ObservedGraph graph{.rows = 1, .ops = {}, .regions = {}, .kinds = {}};
  for (int node = 0; node < kOps; ++node)
    graph.ops.push_back({.place = "p", .name = "op", .cost = {.bytes = node}, .region = -1});
  const auto capture = std::make_shared<const ObservedCapture>(
      ObservedCapture{.graphs = {std::move(graph)}, .members = 1});

  int calls = 0;
  StepProfiler profiler([&](const StepProfile& profile) {
    ++calls;
    EXPECT_EQ(profile.step, 8U);
    EXPECT_EQ(profile.op_count, 49U);  // one op did not run
    ASSERT_EQ(profile.ops.size(), 40U);
    EXPECT_EQ(profile.ops[0].node, kSlow);
    EXPECT_EQ(profile.ops[0].op->cost.bytes, kSlow);
    EXPECT_GT(profile.ops[0].ms, 1);
    EXPECT_GT(profile.ops[0].share, 0.1);
    EXPECT_LE(profile.ops_ms, profile.total_ms);
    for (std::size_t i = 1; i < profile.ops.size(); ++i)
      EXPECT_LE(profile.ops[i].ms, profile.ops[i - 1].ms);
  });
  const auto step = [&] {
    profiler.step_begins(0);
    profiler.run_begins();
    for (int node = 1; node < kOps; ++node) {
      profiler.op_begins(node);
      if (node == kSlow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      profiler.op_ends(node);
    }
    profiler.step_ends();
  };
  profiler.captured(capture);
  for (int i = 0; i < 7; ++i) step();
  EXPECT_EQ(calls, 0);
  for (int i = 0; i < 13; ++i) step();
  EXPECT_EQ(calls, 1);
  profiler.captured(capture);
  for (int i = 0; i < 8; ++i) step();
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace deepinfer
