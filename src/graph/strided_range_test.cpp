#include "graph/strided_range.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace deepinfer {
namespace {

std::set<std::int64_t> bytes_of(const StridedRange& range) {
  std::set<std::int64_t> bytes;
  for (std::int64_t row = 0; row < range.rows; ++row)
    for (std::int64_t i = 0; i < range.bytes; ++i)
      bytes.insert(range.begin + row * range.stride + i);
  return bytes;
}

TEST(StridedRange, InterleavedColumnsShareNothing) {
  const StridedRange a{.begin = 0, .bytes = 10, .stride = 26, .rows = 5};
  const StridedRange b{.begin = 10, .bytes = 16, .stride = 26, .rows = 5};
  EXPECT_FALSE(shared_byte(a, b).has_value());
  const StridedRange longer{.begin = 0, .bytes = 11, .stride = 26, .rows = 5};
  EXPECT_EQ(shared_byte(longer, b), 10);
}

TEST(StridedRange, OnlyTheLastRowMeets) {
  const StridedRange a{.begin = 0, .bytes = 4, .stride = 100, .rows = 4};
  EXPECT_EQ(shared_byte(a, run_of(303, 10)), 303);
  EXPECT_FALSE(shared_byte(a, run_of(304, 10)).has_value());
  EXPECT_FALSE(shared_byte(a, run_of(104, 96)).has_value());
  EXPECT_EQ(shared_byte(a, run_of(104, 97)), 200);
}

TEST(StridedRange, EmptyRangesShareNothing) {
  const StridedRange all = run_of(0, 100);
  EXPECT_FALSE(shared_byte(all, run_of(5, 0)).has_value());
  EXPECT_FALSE(shared_byte(all, {.begin = 5, .bytes = 3, .stride = 3, .rows = 0}).has_value());
}

TEST(StridedRange, AgreesWithListsOfBytesOnRandomColumns) {
  std::mt19937_64 random(7);
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  int shared = 0;
  for (int draw = 0; draw < 20000; ++draw) {
    const auto column = [&](std::int64_t stride) {
      const std::int64_t bytes = pick(1, stride);
      return StridedRange{
          .begin = pick(0, 60), .bytes = bytes, .stride = stride, .rows = pick(1, 5)};
    };
    const std::int64_t stride = pick(1, 20);
    const StridedRange a = column(stride);
    const StridedRange b = column(draw % 2 == 0 ? stride : pick(1, 20));
    const std::set<std::int64_t> in_a = bytes_of(a);
    const std::set<std::int64_t> in_b = bytes_of(b);
    bool meet = false;
    for (const std::int64_t byte : in_a) meet = meet || in_b.contains(byte);
    const auto got = shared_byte(a, b);
    ASSERT_EQ(got.has_value(), meet) << draw;
    if (got.has_value()) {
      ++shared;
      ASSERT_TRUE(in_a.contains(*got) && in_b.contains(*got)) << draw;
    }
  }
  EXPECT_GT(shared, 1000);
  EXPECT_LT(shared, 19000);
}

}  // namespace
}  // namespace deepinfer
