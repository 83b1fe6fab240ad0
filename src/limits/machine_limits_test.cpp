#include "limits/machine_limits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

TEST(MachineLimits, EveryLoopReadsEveryByte) {
  // One bit per line of two pages: a loop that leaves a line out does not see its bit.
  constexpr std::size_t kBytes = 8192;
  alignas(64) static std::byte data[kBytes];
  for (const char* isa : {"scalar", "auto"}) {
    for (const limits::ReadKernel& loop : limits::choose_kernels(isa).reads) {
      for (std::size_t line = 0; line < kBytes / 64; ++line) {
        std::fill(data, data + kBytes, std::byte{0});
        data[line * 64 + line % 64] = std::byte{1};
        EXPECT_NE(loop.run(data, kBytes), 0U) << isa << " " << loop.streams << " line " << line;
      }
    }
  }
}

TEST(MachineLimits, ArePositiveAndWiderSetsAreFaster) {
  ThreadPool pool(1);
  const MachineLimits best = measure_limits(pool, "auto", std::size_t{16} << 20);
  const MachineLimits plain = measure_limits(pool, "scalar", std::size_t{16} << 20);
  EXPECT_EQ(best.threads, 1);
  EXPECT_EQ(plain.isa, "scalar");
  for (const MachineLimits* limits : {&best, &plain}) {
    EXPECT_GT(limits->read.gb_per_s, 0.1);
    EXPECT_GE(limits->read.gb_per_s, limits->read.median_gb_per_s);
    EXPECT_EQ(limits->read.buffer_bytes, std::size_t{16} << 20);
    for (const PeakRate& peak : limits->peaks) EXPECT_GT(peak.gmac_per_s, 0.1) << peak.type;
    EXPECT_EQ(limits->peaks.front().type, "fp32");
  }
  if (best.isa == "scalar") return;
  EXPECT_GT(best.peaks.front().gmac_per_s, plain.peaks.front().gmac_per_s);
}

TEST(MachineLimits, RefuseAnUnknownInstructionSet) {
  EXPECT_THROW(limits::choose_kernels("mmx"), Error);
}

}  // namespace
}  // namespace deepinfer
