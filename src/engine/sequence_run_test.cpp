#include "engine/sequence_run.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

class SequenceRunTest : public testing::Test {
 protected:
  static Options options() {
    Options options;
    options.backend = BackendKind::cpu;
    options.threads = 1;
    options.max_batch = 2;
    options.prefill_bucket = 8;
    options.block_tokens = 4;
    options.max_context = 32;
    options.kv_memory = std::int64_t{1} << 20;
    return options;
  }
  SequenceRunTest() : runtime_(open_model("tests/data/t41-odd", EngramMode::memory), options()) {}

  template <typename Call>
  static std::string error_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Runtime runtime_;
  const std::vector<std::int32_t> tokens_ = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
};

TEST_F(SequenceRunTest, ReportsEveryChunkAndItsFirstPosition) {
  SequenceRun run(runtime_, 20);
  std::vector<std::pair<std::int64_t, int>> steps;
  const auto record = [&](const StepOutput&, std::int64_t position, int rows) {
    steps.emplace_back(position, rows);
  };
  const std::vector<int> chunks = {3, 7};
  run.feed(tokens_, chunks, false, record);
  run.feed(tokens_, {}, false, record);  // on with the same sequence, in buckets
  EXPECT_EQ(steps, (std::vector<std::pair<std::int64_t, int>>{{0, 3}, {3, 7}, {10, 8}, {18, 2}}));
  EXPECT_EQ(run.tokens().size(), 20U);
}

TEST_F(SequenceRunTest, AllLogitsOrTheLastRowsOnly) {
  const auto zero = [](std::span<const float> logits) {
    for (const float value : logits)
      if (value != 0) return false;
    return true;
  };
  SequenceRun all(runtime_, 3);
  all.feed({tokens_.data(), 3}, {}, true, [&](const StepOutput& output, std::int64_t, int) {
    for (int row = 0; row < 3; ++row) EXPECT_FALSE(zero(output.logits(row)));
  });
  SequenceRun last(runtime_, 3);
  last.feed({tokens_.data(), 3}, {}, false, [&](const StepOutput& output, std::int64_t, int) {
    EXPECT_TRUE(zero(output.logits(0)));
    EXPECT_FALSE(zero(output.logits(2)));
  });
}

TEST_F(SequenceRunTest, ChunksThatDoNotFitAreRefused) {
  SequenceRun run(runtime_, 20);
  const std::vector<int> short_sum = {3, 4};
  const std::vector<int> zero = {0, 8, 2};
  const std::vector<int> large = {9, 1};
  EXPECT_NE(error_of([&] {
              run.feed(tokens_, short_sum, false, {});
            }).find("do not add up to the number of tokens, expected 10, got 7"),
            std::string::npos);
  EXPECT_NE(error_of([&] { run.feed(tokens_, zero, false, {}); }).find("a chunk is out of range"),
            std::string::npos);
  EXPECT_NE(error_of([&] { run.feed(tokens_, large, false, {}); }).find("expected 1 to 8, got 9"),
            std::string::npos);
  EXPECT_TRUE(run.tokens().empty());
}

TEST_F(SequenceRunTest, MorePositionsThanTheContextAreRefused) {
  EXPECT_NE(error_of([&] { SequenceRun(runtime_, 33); }).find("at most 32"), std::string::npos);
  EXPECT_NO_THROW(SequenceRun(runtime_, 32));
}

TEST_F(SequenceRunTest, FeedingBeyondTheOwnedBlocksIsRefused) {
  SequenceRun run(runtime_, 8);
  EXPECT_NE(error_of([&] { run.feed(tokens_, {}, false, {}); }).find("is out of range"),
            std::string::npos);
}

TEST_F(SequenceRunTest, CacheRowsComeBackWhenItEnds) {
  const auto slots = runtime_.caches().slots().available();
  const auto blocks = runtime_.caches().blocks().available();
  {
    const SequenceRun run(runtime_, 9);  // three blocks of four
    EXPECT_EQ(runtime_.caches().slots().available(), slots - 1);
    EXPECT_EQ(runtime_.caches().blocks().available(), blocks - 3);
    EXPECT_EQ(run.cache().blocks().size(), 3U);
  }
  EXPECT_EQ(runtime_.caches().slots().available(), slots);
  EXPECT_EQ(runtime_.caches().blocks().available(), blocks);
}

TEST(EvenChunks, CoverTheTokens) {
  EXPECT_EQ(even_chunks(10, 4), (std::vector<int>{4, 4, 2}));
  EXPECT_EQ(even_chunks(8, 4), (std::vector<int>{4, 4}));
  EXPECT_TRUE(even_chunks(0, 4).empty());
}

}  // namespace
}  // namespace deepinfer
