#include "graph/op_reads.h"

#include <gtest/gtest.h>

#include "graph/graph_builder.h"

namespace deepinfer {
namespace {

/// Graphs of a few ops over given values. All numbers of the tests are computed by hand.
class OpReadsTest : public testing::Test {
 protected:
  static constexpr int kRows = 3;
  OpReadsTest() : graph_(kRows) {}

  ValueId floats(std::string_view name, const Shape& shape) {
    return graph_.metadata(name, DType::f32, shape);
  }
  ValueId integers(std::string_view name, const Shape& shape) {
    return graph_.metadata(name, DType::i32, shape);
  }
  ValueId view(std::string_view name, std::int64_t rows, std::int64_t entries,
               std::int64_t record) {
    const std::int64_t bytes = rows * entries * record;
    const ValueId root = graph_.root(std::string(name) + "_root", bytes);
    return graph_.add(CacheView{.recipe = {.root = CacheRoot::kv,
                                           .offset = 0,
                                           .row_bytes = entries * record,
                                           .shape = {rows, entries, record},
                                           .dtype = DType::u8}},
                      {root}, name);
  }
  /// What the last op reads.
  OpReads last() {
    const Graph graph = graph_.finish();
    return op_reads(graph, graph.nodes.back());
  }

  GraphBuilder graph_;
};

TEST_F(OpReadsTest, ALinearReadsItsWeightByFormat) {
  graph_.add(Linear{}, {floats("x", {kRows, 64}), graph_.weight("w", WeightFormat::fp8, {40, 64})},
             "y");
  const OpReads reads = last();
  EXPECT_EQ(reads.component, Component::dense_fp8);
  EXPECT_TRUE(reads.multiplies_weights);
  EXPECT_EQ(bytes_read(reads, {{.first_position = 5, .rows = 3}}, 0), 40 * 64 + 2 * 2);
}

TEST_F(OpReadsTest, PlainWeightsAreApart) {
  graph_.add(Linear{}, {floats("x", {kRows, 64}), graph_.weight("w", WeightFormat::plain, {8, 64})},
             "y");
  EXPECT_EQ(last().component, Component::dense_plain);
}

TEST_F(OpReadsTest, TheEmbeddingReadsARowPerRow) {
  graph_.add_all(Embedding{.streams = 4},
                 {integers("ids", {kRows}), graph_.weight("t", WeightFormat::plain, {100, 32})},
                 {"streams", "pre"});
  const OpReads reads = last();
  EXPECT_FALSE(reads.multiplies_weights);
  EXPECT_EQ(bytes_read(reads, {{.rows = 2}, {.rows = 1}}, 0), 3 * 64);
}

TEST_F(OpReadsTest, TheIndexScansWhatASequenceSees) {
  const ValueId visible = graph_.derived("visible", DType::i32, {kRows});
  graph_.add_all(VisibleEntries{.ratio = 2}, {integers("positions", {kRows}), visible}, {});
  graph_.add(IndexTopK{.heads = 2, .topk = 6},
             {floats("q", {kRows, 64}), floats("weights", {kRows, 2}), view("keys", 9, 4, 17),
              integers("table", {5, 7}), integers("slots", {kRows}), visible},
             "selected");
  const OpReads reads = last();
  EXPECT_EQ(reads.component, Component::attention);
  EXPECT_EQ(reads.ratio, 2);
  // 11 positions seen are 5 entries, 3 are one.
  EXPECT_EQ(
      bytes_read(reads, {{.first_position = 9, .rows = 2}, {.first_position = 2, .rows = 1}}, 0),
      (5 + 1) * 17);
}

TEST_F(OpReadsTest, AttentionReadsWindowAndChosenEntries) {
  graph_.add(
      SparseAttention{.heads = 2, .window = 5},
      {floats("q", {kRows, 64}), view("ring", 4, 20, 33), integers("slots", {kRows}),
       integers("positions", {kRows}), graph_.weight("sink", WeightFormat::plain, {2}),
       view("entries", 9, 4, 18), integers("table", {5, 7}), integers("selected", {kRows, 6})},
      "o");
  const OpReads reads = last();
  EXPECT_FALSE(reads.multiplies_weights);
  // Early: all four positions, and as entries of ratio 1.
  EXPECT_EQ(bytes_read(reads, {{.first_position = 3}}, 0), 4 + 4 * 33 + 4 * 18);
  // Late: the window, and what the list has room for.
  EXPECT_EQ(bytes_read(reads, {{.first_position = 30}}, 0), 4 + 5 * 33 + 6 * 18);
  // Three rows of one sequence share most of their windows.
  EXPECT_EQ(bytes_read(reads, {{.first_position = 30, .rows = 3}}, 0), 4 + 7 * 33 + 18 * 18);
}

TEST_F(OpReadsTest, ExpertsAreThoseThatWereChosen) {
  const auto bank = [&](std::string_view suffix, std::int64_t out, std::int64_t in) {
    return graph_.weight_bank("experts.", suffix, WeightFormat::fp4, {8, out, in});
  };
  const auto shared = [&](std::string_view name, std::int64_t out, std::int64_t in) {
    return graph_.weight(name, WeightFormat::fp8, {out, in});
  };
  graph_.add(
      Moe{},
      {floats("x", {kRows, 32}), integers("experts", {kRows, 2}), floats("w", {kRows, 2}),
       integers("positions", {kRows}), bank(".w1", 64, 32), bank(".w3", 64, 32),
       bank(".w2", 32, 64), shared("s1", 64, 32), shared("s3", 64, 32), shared("s2", 32, 64)},
      "y");
  const OpReads reads = last();
  EXPECT_EQ(reads.component, Component::experts);
  EXPECT_EQ(reads.experts, 8);
  EXPECT_EQ(reads.experts_per_row, 2);
  EXPECT_EQ(reads.expert, 3 * (64 * 32 / 2 + 64));
  EXPECT_EQ(bytes_read(reads, {{.rows = 3}}, 5), 5 * 3 * 1088 + 3 * (64 * 32 + 2));
}

TEST(ExpectedExperts, OfChoicesThatAreAllAsLikely) {
  EXPECT_DOUBLE_EQ(expected_experts(32, 6, 1), 6);
  EXPECT_NEAR(expected_experts(32, 6, 4), 18.06, 0.01);
  EXPECT_EQ(expected_experts(0, 0, 4), 0);
}

}  // namespace
}  // namespace deepinfer
