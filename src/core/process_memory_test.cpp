#include "core/process_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>

namespace deepinfer {
namespace {

TEST(ProcessMemory, ReadsTheAnonymousPartAlone) {
  const std::string path = testing::TempDir() + "status";
  std::ofstream(path) << "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t     123 kB\nRssFile:\t 777 kB\n";
  EXPECT_EQ(anonymous_resident(path), 123 * 1024);
  EXPECT_EQ(anonymous_resident(path + ".missing"), 0);
}

TEST(ProcessMemory, ThePeakStaysUntilItIsForgotten) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  auto block = std::make_unique<char[]>(kBytes);
  std::memset(block.get(), 1, kBytes);
  const std::int64_t high = peak_resident();
  block.reset();
  constexpr std::int64_t kSlack = 1 << 20;  // the kernel counts in batches
  EXPECT_GE(peak_resident(), high - kSlack);
  if (forget_peak_resident()) {
    EXPECT_LT(peak_resident(), high - static_cast<std::int64_t>(kBytes) / 2);
  }
  EXPECT_FALSE(forget_peak_resident("/nowhere/clear_refs"));
}

TEST(ProcessMemory, GrowsByWhatIsTakenAndWritten) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  const std::int64_t resident = anonymous_resident();
  const std::int64_t heap = heap_in_use();
  auto block = std::make_unique<char[]>(kBytes);
  std::memset(block.get(), 1, kBytes);
  EXPECT_GE(anonymous_resident() - resident, static_cast<std::int64_t>(kBytes) * 9 / 10);
  if (heap > 0) {
    EXPECT_GE(heap_in_use() - heap, static_cast<std::int64_t>(kBytes));
  }
  EXPECT_EQ(block[kBytes - 1], 1);
}

}  // namespace
}  // namespace deepinfer
