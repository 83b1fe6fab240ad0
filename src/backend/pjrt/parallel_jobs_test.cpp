#include "backend/pjrt/parallel_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace deepinfer::pjrt {
namespace {

TEST(ParallelJobs, EveryJobRunsOnceOnAnyNumberOfThreads) {
  for (const int threads : {-1, 1, 2, 3, 100}) {
    std::vector<std::atomic<int>> runs(50);
    std::vector<std::size_t> told;
    run_jobs(
        runs.size(), threads, [&](std::size_t index) { ++runs[index]; },
        [&](std::size_t done, std::size_t count) {
          EXPECT_EQ(count, runs.size());
          told.push_back(done);
        });
    for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1) << threads;
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back(), runs.size());
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  }
}

TEST(ParallelJobs, NoJobsIsNothingToDo) {
  run_jobs(
      0, 4, [](std::size_t /*index*/) { FAIL(); },
      [](std::size_t /*done*/, std::size_t /*count*/) { FAIL(); });
}

TEST(ParallelJobs, SeveralRunAtATime) {
  // Each waits for the other: one thread alone would never end.
  std::atomic<int> here = 0;
  run_jobs(2, 2, [&](std::size_t /*index*/) {
    ++here;
    while (here < 2) std::this_thread::yield();
  });
  EXPECT_EQ(here, 2);
}

TEST(ParallelJobs, AnInterruptLeavesOutWhatHasNotBegun) {
  std::atomic<bool> interrupted = false;
  std::atomic<int> ran = 0;
  const auto run = [&] {
    run_jobs(
        1000, 2,
        [&](std::size_t /*index*/) {
          ++ran;
          while (!interrupted) std::this_thread::yield();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        [&](std::size_t /*done*/, std::size_t /*count*/) {
          interrupted = true;
          throw std::runtime_error("interrupted");
        });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_LT(ran, 1000);
}

}  // namespace
}  // namespace deepinfer::pjrt
