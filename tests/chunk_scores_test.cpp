// The chunk path of the index scores: every row sees the keys up to its own position, whatever else
// is in the chunk. A chunk across block, group and window boundaries, and one whose rows belong to
// three sequences of different length.

#include <gtest/gtest.h>

#include "src/backend/test_backends_test.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr int kWindow = 8;  // t41
constexpr int kBlock = 6;   // no multiple of the window, nor of the prompt's chunks

class ChunkScores : public testing::TestWithParam<std::string> {
 protected:
  Options options(int max_batch = 4) const {
    Options o = test_options(GetParam());
    o.block_tokens = kBlock;
    o.max_batch = max_batch;
    o.prefill_bucket = 24;
    o.threads = 2;
    return o;
  }
  /// Logits after every prefix, one token at a time.
  static std::vector<std::vector<float>> alone(Runtime& runtime,
                                               const std::vector<std::int32_t>& tokens) {
    std::vector<std::vector<float>> logits;
    StepScript script(runtime);
    script.open(tokens);
    while (!script.done()) logits.push_back(script.step({{0, 1}}).front());
    script.close(0);
    return logits;
  }
};

TEST_P(ChunkScores, AChunkAcrossBlockGroupAndWindowBoundaries) {
  const std::vector<std::int32_t> tokens = random_tokens(301, 60);
  const auto runtime = open_runtime("t41", options());
  const auto wanted = alone(*runtime, tokens);
  // The middle chunk starts inside a ratio-2 group and a block, ends inside others, and wraps the
  // window's ring; starts right before and behind each boundary.
  for (const int first :
       {1, kBlock - 1, kBlock, kBlock + 1, kWindow - 1, kWindow, kWindow + 1, 13}) {
    StepScript script(*runtime);
    script.open(tokens);
    if (first > 0) script.step({{0, first}});
    for (int end = first; end < 60;) {
      const int rows = std::min(2 * kWindow + 3, 60 - end);  // 19: over three blocks
      const auto logits = script.step({{0, rows}});
      end += rows;
      ASSERT_TRUE(same_bits(logits.front(), wanted[static_cast<std::size_t>(end) - 1]))
          << "chunks from " << first << ", " << end << " tokens";
    }
    script.close(0);
  }
}

TEST_P(ChunkScores, EveryRowOfAChunkNotOnlyItsLast) {
  const std::vector<std::int32_t> tokens = random_tokens(302, 41);
  const auto runtime = open_runtime("t41", options());
  const auto wanted = alone(*runtime, tokens);
  SequenceRun run(*runtime, 41);
  const std::vector<int> chunks = {5, 24, 12};
  std::size_t seen = 0;
  run.feed(tokens, chunks, true, [&](const StepOutput& output, std::int64_t position, int rows) {
    for (int row = 0; row < rows; ++row, ++seen)
      ASSERT_TRUE(same_bits(output.logits(row), wanted[static_cast<std::size_t>(position + row)]))
          << "position " << position + row;
  });
  EXPECT_EQ(seen, 41U);
}

TEST_P(ChunkScores, RowsOfThreeSequencesOfDifferentLengthInOneChunk) {
  const auto runtime = open_runtime("t41", options());
  const std::vector<std::vector<std::int32_t>> tokens = {
      random_tokens(303, 50), random_tokens(304, 17), random_tokens(305, 29)};
  std::vector<std::vector<std::vector<float>>> wanted;
  wanted.reserve(tokens.size());
  for (const auto& sequence : tokens) wanted.push_back(alone(*runtime, sequence));
  StepScript script(*runtime);
  for (const auto& sequence : tokens) script.open(sequence);
  script.step({{0, 24}});
  script.step({{0, 15}, {2, 9}});
  // Long, short and in between, in every order of rows: none sees another's length.
  const std::vector<std::vector<StepScript::Part>> steps = {
      {{0, 3}, {1, 8}, {2, 5}}, {{1, 4}, {2, 7}, {0, 2}}, {{2, 1}, {0, 5}, {1, 5}}};
  for (const auto& parts : steps) {
    const auto logits = script.step(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t sequence = parts[i].sequence;
      const std::size_t length = tokens[sequence].size() - script.left(sequence);
      ASSERT_TRUE(same_bits(logits[i], wanted[sequence][length - 1]))
          << "sequence " << sequence << ", " << length << " tokens";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ChunkScores, testing::Values("reference", "cpu"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
