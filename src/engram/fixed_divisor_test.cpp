#include "engram/fixed_divisor.h"

#include <gtest/gtest.h>

#include <random>

namespace deepinfer {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(FixedDivisor, IsTheDivisionsRemainderAroundEveryMultiple) {
  for (const std::uint64_t divisor :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{3001},
        std::uint64_t{16000057}, (std::uint64_t{1} << 32U) - 5, std::uint64_t{1} << 32U,
        (std::uint64_t{1} << 63U) - 25, (std::uint64_t{1} << 63U) + 29, kLargest - 1, kLargest}) {
    const FixedDivisor fixed(divisor);
    const std::uint64_t most = kLargest / divisor;
    for (const std::uint64_t multiple : {std::uint64_t{0}, std::uint64_t{1}, most / 2, most})
      for (const std::uint64_t near : {multiple * divisor - 1, multiple * divisor,
                                       multiple * divisor + 1, kLargest - multiple})
        ASSERT_EQ(fixed.remainder(near), near % divisor) << near << " by " << divisor;
  }
}

TEST(FixedDivisor, IsTheDivisionsRemainderOfRandomValues) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t divisor = (random() >> random() % 64) | 1U;
    const std::uint64_t value = random() >> random() % 64;
    ASSERT_EQ(FixedDivisor(divisor).remainder(value), value % divisor) << value << ", " << divisor;
  }
}

}  // namespace
}  // namespace deepinfer
