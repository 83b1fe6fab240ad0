#include "graph/op_cost.h"

#include <gtest/gtest.h>

#include "graph/graph_builder.h"

namespace deepinfer {
namespace {

/// Builds a graph of one op over given values and asks for its cost. All numbers of the tests are
/// computed by hand.
class OpCostTest : public testing::Test {
 protected:
  static constexpr int kRows = 3;
  OpCostTest() : graph_(kRows) {}

  ValueId activation(std::string_view name, const Shape& shape) {
    return graph_.metadata(name, DType::f32, shape);
  }
  ValueId integers(std::string_view name, const Shape& shape) {
    return graph_.metadata(name, DType::i32, shape);
  }
  ValueId plain(std::string_view name, const Shape& shape) {
    return graph_.weight(name, WeightFormat::plain, shape);
  }
  /// A view of `rows` rows of `entries` records of `record` bytes.
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
  OpCost cost(Op op, std::vector<ValueId> operands, const PlainDType& plain_dtype = {}) {
    graph_.add_all(std::move(op), std::move(operands), {"y", "z", "w"});
    const Graph graph = graph_.finish();
    return op_cost(graph, graph.nodes.back(), plain_dtype);
  }

  GraphBuilder graph_;
};

TEST_F(OpCostTest, FusedOpsCostTheArithmeticOfTheirPartsAndNotTheValueBetween) {
  const ValueId streams = graph_.metadata("streams", DType::f32, {kRows, 4, 32});
  const ValueId pre = activation("pre", {kRows, 4});
  // 3 * (4 * 32 + 4 + 32) floats, 32 bf16; 2 per element of the streams, 4 per result.
  EXPECT_EQ(cost(HcCollapseNorm{}, {streams, pre, plain("w", {32})}),
            (OpCost{.bytes = 3 * 164 * 4 + 64, .flops = 2 * 384 + 4 * 96}));
}

TEST_F(OpCostTest, RmsNormRope) {
  RmsNormRope op;
  op.rope.head_dim = 16;
  op.rope.frequencies = std::make_shared<const std::vector<float>>(std::vector<float>{1, 2, 3});
  // 2 heads of 3 pairs a row.
  EXPECT_EQ(cost(op, {activation("x", {kRows, 32}), plain("w", {32}), integers("at", {kRows})}),
            (OpCost{.bytes = 2 * 96 * 4 + 64 + 12, .flops = 4 * 96 + 6 * 3 * 2 * 3}));
}

TEST_F(OpCostTest, ALinearGroupReadsItsInputOnce) {
  const ValueId x = activation("x", {kRows, 32});
  EXPECT_EQ(cost(LinearGroup{}, {x, plain("a", {5, 32}), plain("b", {7, 32})}),
            (OpCost{.bytes = 96 * 4 + 12 * 32 * 2 + 3 * 12 * 4, .flops = 2 * 3 * 12 * 32}));
}

TEST_F(OpCostTest, WeightsCountInTheirCheckpointBytes) {
  Value weight;
  weight.kind = ValueKind::weight;
  weight.shape = {40, 64};
  EXPECT_EQ(weight_bytes(weight, {}), 40 * 64 * 2);
  EXPECT_EQ(weight_bytes(weight, [](const Value&) { return DType::f32; }), 40 * 64 * 4);
  weight.format = WeightFormat::fp8;  // a scale per 32x32 tile, the last tile row is a part
  EXPECT_EQ(weight_bytes(weight, {}), 2560 + 2 * 2);
  weight.format = WeightFormat::fp4;  // two codes per byte, a scale per 32 inputs
  EXPECT_EQ(weight_bytes(weight, {}), 1280 + 40 * 2);
  weight.shape = {5, 40, 64};  // a bank of five
  EXPECT_EQ(weight_bytes(weight, {}), 5 * 1360);
  weight.format = WeightFormat::fp8;
  EXPECT_EQ(weight_bytes(weight, {}), 5 * 2564);
}

TEST_F(OpCostTest, LinearReadsItsWeightOnceForAllRows) {
  const ValueId x = activation("x", {kRows, 64});
  const ValueId w = graph_.weight("w", WeightFormat::fp8, {40, 64});
  const OpCost c = cost(Linear{}, {x, w});
  EXPECT_EQ(c.bytes, 3 * 64 * 4 + 2564 + 3 * 40 * 4);
  EXPECT_EQ(c.flops, 2 * 3 * 40 * 64);
}

TEST_F(OpCostTest, GroupedLinearMultipliesEachGroupWithItsOwnRows) {
  const ValueId x = activation("x", {kRows, 128});
  const OpCost c = cost(GroupedLinear{.groups = 2}, {x, plain("w", {10, 64})});
  EXPECT_EQ(c.bytes, 3 * 128 * 4 + 10 * 64 * 2 + 3 * 10 * 4);
  EXPECT_EQ(c.flops, 2 * 3 * 10 * 64);
}

TEST_F(OpCostTest, EmbeddingReadsOneTableRowPerToken) {
  const ValueId ids = integers("ids", {kRows});
  const OpCost c = cost(Embedding{.streams = 4}, {ids, plain("table", {1000, 32})});
  EXPECT_EQ(c.bytes, 3 * 4 + 3 * 64 + 3 * 4 * 32 * 4 + 3 * 4 * 4);
  EXPECT_EQ(c.flops, 0);
}

TEST_F(OpCostTest, LmHeadReadsTheStoredTypeOfItsWeight) {
  const ValueId h = activation("h", {kRows, 32});
  const ValueId wants = integers("wants", {kRows});
  const OpCost c = cost(LmHead{}, {h, plain("w", {100, 32}), wants}, [](const Value& weight) {
    EXPECT_EQ(weight.name, "w");
    return DType::f32;
  });
  EXPECT_EQ(c.bytes, 3 * 32 * 4 + 100 * 32 * 4 + 3 * 4 + 3 * 100 * 4);
  EXPECT_EQ(c.flops, 2 * 3 * 100 * 32);
}

TEST_F(OpCostTest, ElementwiseOps) {
  const ValueId x = activation("x", {kRows, 64});
  EXPECT_EQ(cost(RmsNorm{}, {x, plain("norm", {64})}),
            (OpCost{.bytes = 768 + 128 + 768, .flops = 4 * 192}));
}

TEST_F(OpCostTest, ScaleIsOneProductPerElement) {
  EXPECT_EQ(cost(Scale{.factor = 2}, {activation("x", {kRows, 8})}),
            (OpCost{.bytes = 96 + 96, .flops = 24}));
}

TEST_F(OpCostTest, FakeQuantiseOnlyMovesBytes) {
  EXPECT_EQ(cost(FakeQuantise{}, {activation("x", {kRows, 32})}),
            (OpCost{.bytes = 384 + 384, .flops = 0}));
}

TEST_F(OpCostTest, RopeRotatesItsPairsOfEveryHead) {
  const auto frequencies = std::make_shared<const std::vector<float>>(4, 1.0F);
  const ValueId x = activation("x", {kRows, 2 * 16});
  const OpCost c =
      cost(Rope{.head_dim = 16, .frequencies = frequencies}, {x, integers("positions", {kRows})});
  EXPECT_EQ(c.bytes, 384 + 12 + 384);
  EXPECT_EQ(c.flops, 3 * 2 * 4 * 6);  // rows, heads, pairs
}

TEST_F(OpCostTest, EngramOps) {
  const ValueId rows = graph_.metadata("rows", DType::u8, {kRows, 2, 33});
  EXPECT_EQ(cost(EngramLookup{.head_dim = 32}, {rows}),
            (OpCost{.bytes = 3 * 2 * 33 + 3 * 64 * 4, .flops = 0}));
}

TEST_F(OpCostTest, EngramGateGoesOverEveryStream) {
  const ValueId streams = activation("streams", {kRows, 4, 8});
  const ValueId kv = activation("kv", {kRows, 5 * 8});
  const OpCost c = cost(EngramGate{}, {streams, kv, plain("q", {4, 8}), plain("k", {4, 8})});
  // streams in and out, kv, two weights, one gate per stream
  EXPECT_EQ(c.bytes, 384 + 480 + 2 * 64 + 384 + 48);
  EXPECT_EQ(c.flops, 10 * 96);
}

TEST_F(OpCostTest, HyperConnections) {
  const ValueId streams = activation("streams", {kRows, 2, 8});
  const OpCost c = cost(HcMix{.sinkhorn_iters = 5},
                        {streams, plain("fn", {8, 16}), plain("scale", {3}), plain("base", {8})});
  EXPECT_EQ(c.bytes, 192 + 256 + 6 + 16 + 24 + 24 + 48);
  EXPECT_EQ(c.flops, 3 * (2 * 9 * 16 + 4 * 4 * 5));  // 8 dots and the squares; 2x2, 5 iterations
}

TEST_F(OpCostTest, HcCollapseAndExpand) {
  const ValueId streams = activation("streams", {kRows, 2, 8});
  EXPECT_EQ(cost(HcCollapse{}, {streams, activation("pre", {kRows, 2})}),
            (OpCost{.bytes = 192 + 24 + 96, .flops = 2 * 48}));
}

TEST_F(OpCostTest, HcExpandAddsOncePerStreamAndOnceForTheOutput) {
  const ValueId y = activation("y", {kRows, 8});
  const ValueId streams = activation("streams", {kRows, 2, 8});
  const OpCost c = cost(
      HcExpand{}, {y, streams, activation("post", {kRows, 2}), activation("comb", {kRows, 2, 2})});
  EXPECT_EQ(c.bytes, 96 + 192 + 24 + 48 + 192);
  EXPECT_EQ(c.flops, 2 * 3 * 48);
}

TEST_F(OpCostTest, AViewCostsNothing) {
  view("v", 2, 4, 66);
  const Graph graph = graph_.finish();
  EXPECT_EQ(op_cost(graph, graph.nodes.back()), (OpCost{}));
}

TEST_F(OpCostTest, WritesMoveOneRecordPerRow) {
  const ValueId kv = activation("kv", {kRows, 64});
  const OpCost c = cost(WindowWrite{}, {kv, view("ring", 2, 100, 66), integers("slots", {kRows}),
                                        integers("positions", {kRows})});
  EXPECT_EQ(c, (OpCost{.bytes = 768 + 12 + 12 + 3 * 66, .flops = 0}));
}

TEST_F(OpCostTest, BlockWritesLookUpTheirOwnSequencesBlocks) {
  const ValueId values = activation("values", {kRows, 64});
  const OpCost c = cost(BlockWrite{.quantiser = Quantiser::q4e, .ratio = 2},
                        {values, view("blocks", 9, 4, 36), integers("table", {5, 7}),
                         integers("slots", {kRows}), integers("positions", {kRows})});
  EXPECT_EQ(c.bytes, 768 + 3 * 36 + 3 * 7 * 4 + 12 + 12);  // three of the table's five rows
}

TEST_F(OpCostTest, CompressTouchesOnePendingPairPerRow) {
  const ValueId a = activation("a", {kRows, 8});
  const ValueId g = activation("g", {kRows, 8});
  const ValueId root = graph_.root("state", 4 * 64);
  const ValueId state = graph_.add(CacheView{.recipe = {.root = CacheRoot::state,
                                                        .offset = 0,
                                                        .row_bytes = 64,
                                                        .shape = {4, 2, 8},
                                                        .dtype = DType::f32}},
                                   {root}, "ca_state");
  const OpCost c = cost(Compress{}, {a, g, state, integers("slots", {kRows}),
                                     integers("positions", {kRows}), integers("prev", {kRows})});
  EXPECT_EQ(c.bytes, 2 * 96 + 3 * 64 + 3 * 12 + 96);
  EXPECT_EQ(c.flops, 10 * 24);
}

TEST_F(OpCostTest, VisibleEntriesReadsPositionsAndWritesAsMany) {
  const OpCost c = cost(VisibleEntries{.ratio = 2}, {integers("positions", {kRows}),
                                                     graph_.derived("seen", DType::i32, {kRows})});
  EXPECT_EQ(c.bytes, 12 + 12);
  EXPECT_EQ(c.flops, 0);
}

TEST_F(OpCostTest, IndexTopKScoresWhatItsTableCanName) {
  const ValueId q = activation("q", {kRows, 2 * 32});
  const ValueId weights = activation("weights", {kRows, 2});
  const ValueId keys = view("keys", 9, 4, 17);  // 36 entries in all
  const ValueId table = integers("table", {5, 7});
  const OpCost c =
      cost(IndexTopK{.heads = 2, .topk = 6},
           {q, weights, keys, table, integers("slots", {kRows}), integers("visible", {kRows})});
  // 3 rows * 28 entries are more than the column has.
  EXPECT_EQ(c.bytes, 768 + 24 + 36 * 17 + 84 + 12 + 12 + 3 * 6 * 4);
  EXPECT_EQ(c.flops, 3 * 28 * 2 * (2 * 32 + 2));
}

TEST_F(OpCostTest, IndexTopKWithCandidatesScoresOnlyThose) {
  const ValueId q = activation("q", {kRows, 32});
  const OpCost c = cost(IndexTopK{.heads = 1, .topk = 2, .block_size = 2},
                        {q, activation("weights", {kRows, 1}), view("keys", 9, 4, 17),
                         integers("table", {5, 7}), integers("slots", {kRows}),
                         integers("visible", {kRows}), integers("candidates", {kRows, 3})});
  EXPECT_EQ(c.bytes, 384 + 12 + 3 * 6 * 17 + 84 + 12 + 12 + 36 + 24);
  EXPECT_EQ(c.flops, 3 * 6 * (2 * 32 + 2));
}

TEST_F(OpCostTest, AttentionReadsWindowAndSelectedRecords) {
  const ValueId q = activation("q", {kRows, 2 * 32});
  const OpCost c =
      cost(SparseAttention{.heads = 2, .window = 5},
           {q, view("ring", 4, 20, 33), integers("slots", {kRows}), integers("positions", {kRows}),
            plain("sink", {2}), view("entries", 9, 4, 18), integers("table", {5, 7}),
            integers("selected", {kRows, 6})});
  EXPECT_EQ(c.bytes, 768 + 3 * 5 * 33 + 12 + 12 + 4 + 3 * 6 * 18 + 84 + 72 + 768);
  EXPECT_EQ(c.flops, 3 * (5 + 6) * 2 * 4 * 32);
}

TEST_F(OpCostTest, AttentionOfAWindowOnlyLayer) {
  const ValueId q = activation("q", {kRows, 32});
  const OpCost c = cost(SparseAttention{.heads = 1, .window = 5},
                        {q, view("ring", 1, 8, 33), integers("slots", {kRows}),
                         integers("positions", {kRows}), plain("sink", {1})});
  EXPECT_EQ(c.bytes, 384 + 8 * 33 + 12 + 12 + 2 + 384);  // the ring has only eight
  EXPECT_EQ(c.flops, 3 * 5 * 4 * 32);
}

TEST_F(OpCostTest, RouterScoresEveryExpert) {
  const ValueId logits = activation("logits", {kRows, 16});
  EXPECT_EQ(cost(Router{.experts_per_token = 2}, {logits, plain("bias", {16})}),
            (OpCost{.bytes = 192 + 32 + 24 + 24, .flops = 3 * (48 + 4)}));
}

/// Experts of inner width 64 over a model width of 32, FP4.
OpCost moe_cost(int rows, std::int64_t experts, std::int64_t chosen) {
  GraphBuilder graph(rows);
  const auto bank = [&](std::string_view suffix, std::int64_t out, std::int64_t in) {
    return graph.weight_bank("experts.", suffix, WeightFormat::fp4, {experts, out, in});
  };
  const auto shared = [&](std::string_view name, std::int64_t out, std::int64_t in) {
    return graph.weight(name, WeightFormat::fp8, {out, in});
  };
  graph.add(
      Moe{},
      {graph.metadata("x", DType::f32, {rows, 32}),
       graph.metadata("experts", DType::i32, {rows, chosen}),
       graph.metadata("weights", DType::f32, {rows, chosen}),
       graph.metadata("positions", DType::i32, {rows}), bank(".w1", 64, 32), bank(".w3", 64, 32),
       bank(".w2", 32, 64), shared("s1", 64, 32), shared("s3", 64, 32), shared("s2", 32, 64)},
      "y");
  const Graph built = graph.finish();
  return op_cost(built, built.nodes.back());
}

TEST_F(OpCostTest, MoeTouchesAtMostRowsTimesKExperts) {
  constexpr std::int64_t kExpert = 3 * (64 * 32 / 2 + 64);
  constexpr std::int64_t kShared = 3 * (64 * 32 + 2);
  const OpCost few = moe_cost(3, 16, 2);
  EXPECT_EQ(few.bytes, 384 + 24 + 24 + 12 + 6 * kExpert + kShared + 384);
  EXPECT_EQ(few.flops, 3 * 3 * (3 * 2 * 64 * 32 + 4 * 64 + 32));
  const OpCost many = moe_cost(100, 16, 2);  // no more than there are
  EXPECT_EQ(many.bytes, 12800 + 800 + 800 + 400 + 16 * kExpert + kShared + 12800);
  EXPECT_EQ(moe_cost(8, 16, 2).bytes - moe_cost(7, 16, 2).bytes, 2 * kExpert + 128 + 16 + 4 + 128);
  EXPECT_EQ(moe_cost(9, 16, 2).bytes - moe_cost(8, 16, 2).bytes, 128 + 16 + 4 + 128);
}

}  // namespace
}  // namespace deepinfer
