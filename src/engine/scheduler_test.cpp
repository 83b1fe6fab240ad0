#include "engine/scheduler.h"

#include <gtest/gtest.h>

namespace deepinfer {
namespace {

SchedulerEntry prompt(std::int64_t length, std::int64_t cached = 0) {
  return {.cached = cached, .length = length, .decoding = false};
}
SchedulerEntry decode(std::int64_t length) {
  return {.cached = length - 1, .length = length, .decoding = true};
}

std::vector<std::pair<std::size_t, int>> run(const std::vector<SchedulerEntry>& entries,
                                             int bucket = 128, int max_rows = 128) {
  std::vector<std::pair<std::size_t, int>> rows;
  for (const ScheduledRows& part : schedule(entries, bucket, max_rows))
    rows.emplace_back(part.entry, part.rows);
  return rows;
}

using Rows = std::vector<std::pair<std::size_t, int>>;

TEST(Schedule, DecodingSequencesGetOneRowEach) {
  EXPECT_EQ(run({decode(5), decode(9)}), (Rows{{0, 1}, {1, 1}}));
}

TEST(Schedule, PromptRunsInBuckets) {
  EXPECT_EQ(run({prompt(715)}), (Rows{{0, 128}}));
  EXPECT_EQ(run({prompt(715, 640)}), (Rows{{0, 75}}));
}

TEST(Schedule, DecodeRowsRideInTheBucketWithAPrompt) {
  EXPECT_EQ(run({prompt(715), decode(9), decode(4)}), (Rows{{1, 1}, {2, 1}, {0, 126}}));
}

TEST(Schedule, PromptsShareTheBucketOldestFirst) {
  EXPECT_EQ(run({prompt(100), prompt(100), prompt(100)}), (Rows{{0, 100}, {1, 28}}));
}

TEST(Schedule, APromptAdvancesEvenWhereDecodingFillsTheBucket) {
  EXPECT_EQ(run({decode(3), decode(3), decode(3), prompt(9)}, 2, 4),
            (Rows{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
}

TEST(Schedule, NothingToRunIsAnEmptyStep) { EXPECT_TRUE(run({}).empty()); }

}  // namespace
}  // namespace deepinfer
