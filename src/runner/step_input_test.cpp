#include "runner/step_input.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "deepinfer/error.h"
#include "model/step_graph.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

constexpr int kRows = 8;
constexpr int kSlots = 5;  // the last one is scratch
constexpr std::int64_t kBlocks = 9;

class StepInputTest : public testing::Test {
 protected:
  StepInputTest()
      : model_(open_model("tests/data/t41", EngramMode::memory)),
        caches_(CacheLayout(
            model_.config(),
            {.block_tokens = 4, .blocks = kBlocks, .slots = kSlots, .max_step_rows = kRows})),
        buffers_(build_step_graph(model_.config(), caches_.layout(),
                                  {.rows = kRows, .max_context = 16})),
        tokens_(16) {
    std::iota(tokens_.begin(), tokens_.end(), 100);
  }

  void prepare(const std::vector<SequenceMetadata>& sequences, int rows = kRows) {
    InputMetadata input(buffers_, rows);
    make_prepare_input(model_, caches_)(sequences, input);
  }
  std::vector<std::int32_t> field(std::string_view name) {
    const auto view = InputMetadata(buffers_, kRows).i32(name);
    return {view.begin(), view.end()};
  }
  std::string message(const SequenceMetadata& sequence) {
    try {
      prepare({sequence});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Model model_;
  KvCaches caches_;
  MetadataBuffers buffers_;
  std::vector<std::int32_t> tokens_;
  std::vector<std::int32_t> blocks_ = {2, 0, 3, 1};
  std::vector<std::int32_t> other_blocks_ = {5};
};

TEST_F(StepInputTest, RowsFollowTheirSequencesAndTheRestIsPadding) {
  prepare(
      {{.tokens = tokens_, .first_position = 3, .rows = 3, .slot = 1, .blocks = blocks_},
       {.tokens = tokens_, .first_position = 0, .rows = 1, .slot = 0, .blocks = other_blocks_}});
  using Rows = std::vector<std::int32_t>;
  EXPECT_EQ(field(step_inputs::kTokenIds), (Rows{103, 104, 105, 100, 0, 0, 0, 0}));
  EXPECT_EQ(field(step_inputs::kPositions), (Rows{3, 4, 5, 0, -1, -1, -1, -1}));
  EXPECT_EQ(field(step_inputs::kSlots), (Rows{1, 1, 1, 0, 4, 4, 4, 4}));
  EXPECT_EQ(field(step_inputs::kPrevRows), (Rows{-1, 0, 1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(field(step_inputs::kWantsLogits), (Rows{0, 0, 1, 1, 0, 0, 0, 0}));
  const Rows table = field(step_inputs::kBlockTable);
  EXPECT_EQ((Rows(table.begin() + 4, table.begin() + 8)), (Rows{2, 0, 3, 1}));
  EXPECT_EQ((Rows(table.begin(), table.begin() + 4)), (Rows{5, 8, 8, 8}));
  EXPECT_EQ((Rows(table.begin() + 16, table.end())), (Rows{8, 8, 8, 8}));  // the scratch slot's
}

TEST_F(StepInputTest, AllLogitsMarksEveryRow) {
  prepare({{.tokens = tokens_,
            .first_position = 0,
            .rows = 2,
            .slot = 0,
            .blocks = blocks_,
            .all_logits = true}});
  EXPECT_EQ(field(step_inputs::kWantsLogits), (std::vector<std::int32_t>{1, 1, 0, 0, 0, 0, 0, 0}));
}

// Faults A2 and A3: for any number of live rows every index is in range and the tail is padding.
TEST_F(StepInputTest, A3_tail_rows_are_padding_for_every_live_count) {
  std::mt19937 random(3);
  for (int draw = 0; draw < 1000; ++draw) {
    const int rows = 1 + static_cast<int>(random() % kRows);
    std::vector<SequenceMetadata> sequences;
    int live = 0;
    for (std::int32_t slot = 0; slot < kSlots - 1 && live < rows; ++slot) {
      const int count = static_cast<int>(random() % static_cast<unsigned>(rows - live + 1));
      if (count == 0) continue;
      const auto first =
          static_cast<std::int64_t>(random() % static_cast<unsigned>(16 - count + 1));
      sequences.push_back({.tokens = tokens_,
                           .first_position = first,
                           .rows = count,
                           .slot = slot,
                           .blocks = blocks_});
      live += count;
    }
    prepare(sequences, rows);
    const InputMetadata input(buffers_, rows);
    for (int row = 0; row < rows; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const bool padding = row >= live;
      ASSERT_EQ(input.i32(step_inputs::kPositions)[at] < 0, padding);
      ASSERT_EQ(input.i32(step_inputs::kSlots)[at] == kSlots - 1, padding);
      ASSERT_LT(input.i32(step_inputs::kSlots)[at], kSlots);
      ASSERT_LT(input.i32(step_inputs::kPrevRows)[at], row);
      ASSERT_LT(input.i32(step_inputs::kTokenIds)[at], model_.config().vocab_size);
      ASSERT_LT(input.i32(step_inputs::kPositions)[at], 16);
    }
    for (const std::int32_t block : input.i32(step_inputs::kBlockTable)) {
      ASSERT_GE(block, 0);
      ASSERT_LT(block, kBlocks);
    }
  }
}

TEST_F(StepInputTest, EngramRowsAreThoseOfEachRowsOwnPosition) {
  prepare({{.tokens = tokens_, .first_position = 5, .rows = 2, .slot = 0, .blocks = blocks_}});
  const Engram& engram = *model_.engram;
  for (int table = 0; table < engram.tables(); ++table) {
    const int layer = model_.config().engram.layer_ids[static_cast<std::size_t>(table)];
    const auto rows = InputMetadata(buffers_, kRows).raw(step_inputs::engram_rows(layer));
    for (int row = 0; row < kRows; ++row) {
      std::vector<std::byte> wanted(engram.position_bytes(), std::byte{0});  // padding: zeros
      if (row < 2) {
        std::vector<std::int64_t> ids(static_cast<std::size_t>(engram.columns()));
        engram.row_ids(table, tokens_, 5 + row, ids);
        engram.gather(table, ids, wanted.data());
      }
      const auto got = rows.subspan(static_cast<std::size_t>(row) * wanted.size(), wanted.size());
      EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), got.begin())) << table << " " << row;
    }
  }
}

TEST_F(StepInputTest, A2_indices_out_of_range_are_refused_by_name) {
  const SequenceMetadata good{
      .tokens = tokens_, .first_position = 0, .rows = 2, .slot = 0, .blocks = blocks_};
  EXPECT_EQ(message(good), "no error");
  SequenceMetadata bad = good;
  bad.slot = kSlots - 1;  // scratch is nobody's
  EXPECT_EQ(message(bad), "[step metadata] slot is out of range, expected 0 to 3, got 4");
  bad = good;
  bad.rows = kRows + 1;
  EXPECT_NE(message(bad).find("more rows than the graph, expected 1 to 8 more, got 9"),
            std::string::npos);
  bad = good;
  bad.first_position = 15;
  EXPECT_NE(message(bad).find("last position is out of range, expected 0 to 15, got 16"),
            std::string::npos);
  bad = good;
  bad.blocks = other_blocks_;
  bad.first_position = 3;
  EXPECT_NE(message(bad).find("last position (of the sequence's blocks)"), std::string::npos);
  const std::vector<std::int32_t> scratch = {static_cast<std::int32_t>(kBlocks - 1)};
  bad = good;
  bad.blocks = scratch;
  EXPECT_NE(message(bad).find("block is out of range, expected 0 to 7, got 8"), std::string::npos);
}

TEST_F(StepInputTest, C1_token_ids_out_of_range_are_refused) {
  for (const std::int32_t id : {-1, 640, 2147483647}) {
    tokens_[1] = id;
    EXPECT_NE(message({.tokens = tokens_, .rows = 2, .slot = 0, .blocks = blocks_})
                  .find("token id is out of range, expected 0 to 639, got " + std::to_string(id)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace deepinfer
