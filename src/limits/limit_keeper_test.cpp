#include "limits/limit_keeper.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace deepinfer {
namespace {

TEST(LimitKeeper, KeepsTheBestOfEachLimit) {
  MachineLimits first;
  first.read.gb_per_s = 20;
  first.peaks = {{.type = "fp32", .instruction = "", .gmac_per_s = 5},
                 {.type = "int8", .instruction = "", .gmac_per_s = 40}};
  MachineLimits second = first;
  second.read.gb_per_s = 18;
  second.peaks[0].gmac_per_s = 7;
  second.peaks[1].gmac_per_s = 30;
  const MachineLimits best = best_of(first, second);
  EXPECT_EQ(best.read.gb_per_s, 20);
  EXPECT_EQ(best.peaks[0].gmac_per_s, 7);
  EXPECT_EQ(best.peaks[1].gmac_per_s, 40);
  EXPECT_EQ(best_of(second, first).read.gb_per_s, 20);
}

TEST(LimitKeeper, CountsTheMemoryOfTheRunAndNotItsOwn) {
  constexpr std::size_t kOwn = std::size_t{256} << 20U;
  constexpr std::size_t kRun = std::size_t{64} << 20U;
  LimitKeeper keeper(1, "auto", kOwn);
  keeper.measure();
  EXPECT_GT(keeper.limits().read.gb_per_s, 0);
  EXPECT_EQ(keeper.peak_resident_between(), 0);
  auto block = std::make_unique<char[]>(kRun);
  std::memset(block.get(), 1, kRun);
  EXPECT_EQ(block[kRun / 2], 1);
  block.reset();
  keeper.measure();
  EXPECT_GE(keeper.peak_resident_between(), static_cast<std::int64_t>(kRun) * 9 / 10);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(keeper.peak_resident_between(), static_cast<std::int64_t>(kOwn));
#endif
}

}  // namespace
}  // namespace deepinfer
