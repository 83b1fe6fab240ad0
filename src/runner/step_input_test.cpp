#include "runner/step_input.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "deepinfer/error.h"
#include "model/step_graph.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

class StepInput : public testing::Test {
 protected:
  StepInput()
      : model_(open_model("tests/data/t41", EngramMode::memory)),
        caches_(CacheLayout(model_.config(), geometry())),
        buffers_(build_step_graph(
            model_.config(), caches_.layout(),
            {.rows = 8, .numerics = Numerics::official, .max_context = 32, .trace = false})),
        prepare_(make_prepare_input(model_, caches_)) {}

  static CacheGeometry geometry() {
    return {.block_tokens = 8, .blocks = 9, .slots = 3, .max_step_rows = 8, .layout = {}};
  }
  SequenceMetadata sequence(std::int64_t first, int rows, std::int32_t slot = 0) const {
    return {.tokens = tokens_,
            .first_position = first,
            .rows = rows,
            .slot = slot,
            .blocks = blocks_,
            .wants_logits = true,
            .all_logits = false};
  }
  std::string refusal(const SequenceMetadata& bad) {
    InputMetadata input(buffers_, 8);
    try {
      prepare_({&bad, 1}, input);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
  void expect_refused(const SequenceMetadata& bad, const std::string& part) {
    const std::string text = refusal(bad);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  std::vector<std::int32_t> field(std::string_view name) {
    const auto values = InputMetadata(buffers_, 8).i32(name);
    return {values.begin(), values.end()};
  }

  std::vector<std::int32_t> tokens_ = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  std::vector<std::int32_t> blocks_ = {5, 2};
  Model model_;
  KvCaches caches_;
  MetadataBuffers buffers_;
  PrepareInput prepare_;
};

TEST_F(StepInput, LaysOutRowsThenPadding) {
  const std::vector<SequenceMetadata> step = {sequence(4, 2, 1), sequence(7, 3, 0)};
  InputMetadata input(buffers_, 8);
  prepare_(step, input);
  EXPECT_EQ(field(step_inputs::kTokenIds),
            (std::vector<std::int32_t>{14, 15, 17, 18, 19, 0, 0, 0}));
  EXPECT_EQ(field(step_inputs::kPositions), (std::vector<std::int32_t>{4, 5, 7, 8, 9, -1, -1, -1}));
  EXPECT_EQ(field(step_inputs::kSlots), (std::vector<std::int32_t>{1, 1, 0, 0, 0, 2, 2, 2}));
  EXPECT_EQ(field(step_inputs::kPrevRows),
            (std::vector<std::int32_t>{-1, 0, -1, 2, 3, -1, -1, -1}));
  EXPECT_EQ(field(step_inputs::kWantsLogits), (std::vector<std::int32_t>{0, 1, 0, 0, 1, 0, 0, 0}));
  // Four columns a slot: the blocks that the sequence has begun at the step's end, then the scratch
  // block; the scratch slot's own row.
  EXPECT_EQ(field(step_inputs::kBlockTable),
            (std::vector<std::int32_t>{5, 2, 8, 8, 5, 8, 8, 8, 8, 8, 8, 8}));
}

TEST_F(StepInput, NgramRowsFollowTheRowsOfTheirSequences) {
  const Engram& engram = *model_.engram;
  InputMetadata input(buffers_, 8);
  const std::size_t bytes = engram.position_bytes();
  for (int table = 0; table < engram.tables(); ++table) {
    const auto name =
        step_inputs::engram_rows(model_.config().engram.layer_ids[static_cast<std::size_t>(table)]);
    std::ranges::fill(input.raw(name), std::byte{0xff});  // of an earlier step
  }
  const std::vector<SequenceMetadata> step = {sequence(4, 2, 1), padding_sequence(geometry()),
                                              sequence(7, 3, 0)};
  prepare_(step, input);
  for (int table = 0; table < engram.tables(); ++table) {
    std::vector<std::byte> wanted(8 * bytes);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(engram.columns()));
    std::byte* out = wanted.data();
    for (const std::int64_t position : {4, 5, 7, 8, 9}) {
      engram.row_ids(table, tokens_, position, ids);
      engram.gather(table, ids, out);
      out += bytes;
    }
    const auto got = input.raw(step_inputs::engram_rows(
        model_.config().engram.layer_ids[static_cast<std::size_t>(table)]));
    EXPECT_TRUE(std::ranges::equal(got, wanted)) << "table " << table;
  }
}

TEST_F(StepInput, LogitsOfEveryRowOrNone) {
  SequenceMetadata all = sequence(0, 3);
  all.all_logits = true;
  InputMetadata input(buffers_, 8);
  prepare_({&all, 1}, input);
  EXPECT_EQ(field(step_inputs::kWantsLogits), (std::vector<std::int32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
  SequenceMetadata none = sequence(0, 3);
  none.wants_logits = false;
  prepare_({&none, 1}, input);
  EXPECT_EQ(field(step_inputs::kWantsLogits), std::vector<std::int32_t>(8, 0));
}

TEST_F(StepInput, ThePaddingSequenceAddsNoRows) {
  const SequenceMetadata padding = padding_sequence(geometry());
  InputMetadata input(buffers_, 8);
  prepare_({&padding, 1}, input);
  EXPECT_EQ(field(step_inputs::kPositions), std::vector<std::int32_t>(8, -1));
  EXPECT_EQ(field(step_inputs::kSlots), std::vector<std::int32_t>(8, 2));
}

TEST_F(StepInput, RefusesEveryIndexOutOfRangeByName) {
  expect_refused(sequence(0, 1, 2), "slot is out of range, expected 0 to 1, got 2");
  expect_refused(sequence(0, 1, -1), "slot is out of range");
  expect_refused(sequence(-1, 1), "first position is out of range");
  expect_refused(sequence(9, 2), "last position is out of range");
  expect_refused(sequence(0, 9), "the step has more rows than the graph");
  SequenceMetadata bad = sequence(8, 1);
  const std::vector<std::int32_t> one = {5};
  bad.blocks = one;
  expect_refused(bad, "last position (of the sequence's blocks) is out of range");
  const std::vector<std::int32_t> scratch = {8, 1};
  bad.blocks = scratch;
  expect_refused(bad, "block is out of range, expected 0 to 7, got 8");
  const std::vector<std::int32_t> many = {0, 1, 2, 3, 4};
  bad.blocks = many;  // the table has four columns; the fifth block may be owned, not begun
  EXPECT_EQ(refusal(bad), "accepted");
  const std::vector<std::int32_t> long_tokens(33, 10);
  bad.tokens = long_tokens;
  bad.first_position = 32;
  expect_refused(bad, "number of blocks is out of range, expected 0 to 4, got 5");
  EXPECT_EQ(refusal(sequence(0, 8)), "accepted");
}

TEST_F(StepInput, RefusesTokensBeforeItsRowsThatTheirNgramsLookBackTo) {
  const int reach = model_.config().engram.max_ngram_size - 1;
  ASSERT_GE(reach, 1);
  ASSERT_LT(reach, 8);
  tokens_[static_cast<std::size_t>(8 - reach)] = 1 << 24;
  expect_refused(sequence(8, 1), "token id is out of range");
  tokens_[static_cast<std::size_t>(8 - reach)] = -1;
  expect_refused(sequence(8, 1), "token id is out of range");
  EXPECT_EQ(refusal(sequence(9, 1)), "accepted");
}

}  // namespace
}  // namespace deepinfer
