#include "backend/cpu/top_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace deepinfer::cpu {
namespace {

struct Scored {
  float score;
  std::int32_t index;
};

std::vector<std::int32_t> best_of(const std::vector<Scored>& stream, std::int64_t limit) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(TopList::capacity(limit)));
  TopList list(keys.data(), limit);
  for (const Scored& entry : stream) list.push(entry.score, entry.index);
  std::vector<std::int32_t> best(static_cast<std::size_t>(limit));
  write_ascending(keys.data(), list.cut(), best.data(), limit);
  return best;
}

TEST(TopList, KeepsTheBestOfALongStreamInAnyOrderOfArrival) {
  std::mt19937_64 random(1);
  std::vector<Scored> stream;
  stream.reserve(5000);
  for (std::int32_t i = 0; i < 5000; ++i)
    stream.push_back({static_cast<float>(static_cast<int>(random() % 41) - 20), i});
  for (const std::int64_t limit : {1, 10, 63, 64, 500}) {
    std::vector<Scored> sorted = stream;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    std::vector<std::int32_t> expected;
    for (std::int64_t i = 0; i < limit; ++i)
      expected.push_back(sorted[static_cast<std::size_t>(i)].index);
    std::sort(expected.begin(), expected.end());

    EXPECT_EQ(best_of(stream, limit), expected);
    std::vector<Scored> shuffled = stream;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    EXPECT_EQ(best_of(shuffled, limit), expected);
  }
}

TEST(TopList, ZerosOfBothSignsTie) {
  EXPECT_EQ(best_of({{0.0F, 5}, {-0.0F, 2}, {0.0F, 9}}, 2), (std::vector<std::int32_t>{2, 5}));
}

TEST(TopList, InfinitelyBadScoresAndNoNumbersStayOut) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(best_of({{-infinity, 0}, {nan, 1}, {-3e38F, 2}, {infinity, 3}}, 4),
            (std::vector<std::int32_t>{2, 3, -1, -1}));
}

}  // namespace
}  // namespace deepinfer::cpu
