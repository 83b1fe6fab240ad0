#include "runner/region_timing.h"

#include <gtest/gtest.h>

#include <thread>

namespace deepinfer {
namespace {

TEST(RegionTiming, TheLineIsTheSeedsWithTheCopyBesideIt) {
  const std::vector<RegionTime> regions = {{.kind = "attn.1", .count = 6, .total_ms = 3.12},
                                           {.kind = "ffn.1", .count = 6, .total_ms = 7.8},
                                           {.kind = "ffn.2", .count = 0, .total_ms = 0}};
  const StepTiming timing{.step = 3,
                          .rows = 4,
                          .copy_ms = 0.0126,
                          .total_ms = 12.3,
                          .regions_ms = 11.9,
                          .regions = regions};
  EXPECT_EQ(to_text(timing),
            "step rows=4: 12.3 ms, regions 11.9 ms (attn.1 6x 0.52 ms, ffn.1 6x 1.30 ms, ffn.2 0x "
            "0.00 ms), outside regions 0.4 ms, copy 0.013 ms");
}

/// Two kinds, not in the order of their names; three regions; ops 0 and 5 outside.
std::shared_ptr<const ObservedCapture> small_capture() {
  ObservedGraph graph{.rows = 2, .ops = {}, .regions = {}, .kinds = {"ffn.1", "attn.1"}};
  for (const int region : {-1, 0, 0, 1, 2, -1})
    graph.ops.push_back({.place = "", .name = "op", .cost = {}, .region = region});
  graph.regions = {{.kind = 0, .place = "a"}, {.kind = 1, .place = "b"}, {.kind = 0, .place = "c"}};
  return std::make_shared<const ObservedCapture>(
      ObservedCapture{.graphs = {std::move(graph)}, .members = 1});
}

void wait_a_millisecond() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

class RegionTimingRun : public testing::Test {
 protected:
  RegionTimingRun()
      : timing_([this](const StepTiming& step) {
          step_ = step;
          regions_.assign(step.regions.begin(), step.regions.end());
        }) {
    timing_.captured(small_capture());
  }

  void op(int node) {
    timing_.op_begins(node);
    wait_a_millisecond();
    timing_.op_ends(node);
  }

  RegionTiming timing_;
  StepTiming step_;
  std::vector<RegionTime> regions_;
};

TEST_F(RegionTimingRun, OpsAreGroupedByTheirRegions) {
  timing_.step_begins(0);
  wait_a_millisecond();  // the copy
  timing_.run_begins();
  for (int node = 0; node < 6; ++node) op(node);
  timing_.step_ends();
  EXPECT_EQ(step_.step, 1U);
  EXPECT_EQ(step_.rows, 2);
  EXPECT_GE(step_.copy_ms, 1);
  ASSERT_EQ(regions_.size(), 2U);
  EXPECT_EQ(regions_[0].kind, "attn.1");  // sorted, as the seed prints them
  EXPECT_EQ(regions_[0].count, 1);
  EXPECT_GE(regions_[0].total_ms, 1);
  EXPECT_EQ(regions_[1].kind, "ffn.1");
  EXPECT_EQ(regions_[1].count, 2);
  EXPECT_GE(regions_[1].total_ms, 3);
  EXPECT_DOUBLE_EQ(step_.regions_ms, regions_[0].total_ms + regions_[1].total_ms);
  EXPECT_GE(step_.outside_ms(), 2);  // ops 0 and 5
  EXPECT_GE(step_.total_ms, 6);
}

TEST_F(RegionTimingRun, AnnouncedRegionsCountWithWhatIsAroundTheirOps) {
  timing_.step_begins(0);
  timing_.run_begins();
  timing_.region_begins(1);
  wait_a_millisecond();
  op(3);
  wait_a_millisecond();
  timing_.region_ends(1);
  timing_.step_ends();
  EXPECT_EQ(regions_[0].count, 1);
  EXPECT_GE(regions_[0].total_ms, 3);
  EXPECT_EQ(regions_[1].count, 0);
}

TEST_F(RegionTimingRun, EveryStepStartsAtZero) {
  for (std::uint64_t step = 1; step <= 2; ++step) {
    timing_.step_begins(0);
    timing_.run_begins();
    op(3);
    timing_.step_ends();
    EXPECT_EQ(step_.step, step);
    EXPECT_EQ(regions_[0].count, 1);
    EXPECT_EQ(regions_[1].count, 0);
  }
  timing_.captured(small_capture());
  timing_.step_begins(0);
  timing_.run_begins();
  timing_.step_ends();
  EXPECT_EQ(step_.step, 1U);  // steps count from the capture
}

}  // namespace
}  // namespace deepinfer
