#include "backend/pjrt/stablehlo/lower.h"

#include <gtest/gtest.h>

#include "backend/pjrt/stablehlo/module_text_test.h"
#include "graph/graph_builder.h"
#include "graph/regions.h"

namespace deepinfer::pjrt {
namespace {

constexpr int kRows = 4;
constexpr std::int64_t kSlots = 3;
constexpr std::int64_t kRing = 5;
constexpr std::int64_t kRecord = 66;  // Q8 of 64 channels

ViewRecipe ring_at(std::int64_t offset) {
  return {.root = CacheRoot::state,
          .offset = offset,
          .row_bytes = 2 * kRing * kRecord,
          .shape = {kSlots, kRing, kRecord},
          .dtype = DType::u8};
}

/// Layers that each write a ring of one root and read it back, a linear between them. Even ones
/// share a ring, and so do odd ones.
Graph layers(int count) {
  GraphBuilder b(kRows);
  const ValueId x = b.metadata("x", DType::f32, {kRows, 64});
  const ValueId slots = b.metadata("slots", DType::i32, {kRows});
  const ValueId positions = b.metadata("positions", DType::i32, {kRows});
  const ValueId visible = b.derived("visible", DType::i32, {kRows});
  const ValueId root = b.root("state_buffer", kSlots * 2 * kRing * kRecord);
  b.add(VisibleEntries{.ratio = 2}, {positions, visible}, "visible");
  ValueId now = x;
  for (int number = 0; number < count; ++number) {
    const std::string layer = "layers." + std::to_string(number);
    const GraphBuilder::Scope outer(b, layer);
    const GraphBuilder::Scope scope(b, "attn");
    const ValueId ring =
        b.add(CacheView{.recipe = ring_at(number % 2 * kRing * kRecord)}, {root}, "ring");
    const ValueId sink = b.weight(layer + ".sink", WeightFormat::plain, {1});
    const ValueId w = b.weight(layer + ".w", WeightFormat::fp8, {64, 64});
    b.add(WindowWrite{}, {now, ring, slots, positions}, "write");
    const ValueId o = b.add(SparseAttention{.heads = 1, .window = 3, .softmax_scale = 0.125F},
                            {now, ring, slots, positions, sink}, "o");
    now = b.add(Linear{}, {o, w}, "y");
  }
  b.output("y", now);
  return b.finish();
}

Graph two_layers() { return layers(2); }

const Parameter* find(const LoweredModule& module, ParameterKind kind, const Graph& graph,
                      const std::string& name) {
  for (const Parameter& parameter : module.parameters)
    if (parameter.kind == kind && graph.value(parameter.value).name == name) return &parameter;
  return nullptr;
}

const Node& node_of(const Graph& graph, std::string_view op, int number = 0) {
  for (const Node& node : graph.nodes)
    if (name_of(node.op) == op && number-- == 0) return node;
  throw std::logic_error("no such node");
}

TEST(Lower, ListsAGraphsParametersAndResults) {
  const Graph graph = two_layers();
  const LoweredModule module = lower_graph(graph);
  EXPECT_TRUE(test::is_well_formed(module.text)) << module.text;

  ASSERT_EQ(module.results.size(), 3U);
  EXPECT_EQ(module.results[0].kind, ResultKind::value);
  EXPECT_EQ(graph.value(module.results[0].value).name, "layers.1.attn.y");
  EXPECT_EQ(module.results[1].kind, ResultKind::derived);
  EXPECT_EQ(graph.value(module.results[1].value).name, "visible");
  EXPECT_EQ(module.results[2].kind, ResultKind::root);

  const Parameter* root = find(module, ParameterKind::root, graph, "state_buffer");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->dims, (Dims{kSlots, 2 * kRing * kRecord}));
  EXPECT_EQ(root->result, 2);
  const Parameter* codes = find(module, ParameterKind::weight, graph, "layers.0.w");
  ASSERT_NE(codes, nullptr);
  EXPECT_EQ(codes->type, Element::ui8);
  EXPECT_EQ(codes->dims, (Dims{64, 64}));
  const Parameter* scales = find(module, ParameterKind::scales, graph, "layers.0.w");
  ASSERT_NE(scales, nullptr);
  EXPECT_EQ(scales->dims, (Dims{2, 2}));
  // Written before anything reads it: nothing to hand in.
  EXPECT_EQ(find(module, ParameterKind::value, graph, "visible"), nullptr);
  EXPECT_EQ(test::count_of(module.text, "tf.aliasing_output"), 1);
}

TEST(Lower, ThreadsAWrittenRootThroughLaterReaders) {
  const Graph graph = two_layers();
  const std::string text = lower_graph(graph).text;
  // Each layer scatters into what the layer before left and gathers from its own.
  EXPECT_EQ(test::count_of(text, "\"stablehlo.scatter\"(%state_buffer,"), 1);
  EXPECT_EQ(test::count_of(text, "\"stablehlo.scatter\"(%state_buffer.new,"), 1);
  EXPECT_GE(test::count_of(text, "\"stablehlo.gather\"(%state_buffer.new_1,"), 1);
}

TEST(Lower, CommentsEveryOpAndNamesItsResult) {
  const Graph graph = two_layers();
  const std::string text = lower_graph(graph).text;
  EXPECT_NE(text.find("// layers.0.attn.y = linear(layers.0.attn.o, layers.0.w)"),
            std::string::npos);
  EXPECT_NE(text.find("%layers.0.attn.y = "), std::string::npos);
  EXPECT_EQ(test::count_of(text, "// "), 7);  // the views have no op
}

TEST(Lower, ANodesModuleTakesItsOperandsAndDonatesTheRoot) {
  const Graph graph = two_layers();
  const Node& write = node_of(graph, "window_write");
  const LoweredModule module = lower_node(graph, write);
  EXPECT_TRUE(test::is_well_formed(module.text)) << module.text;
  ASSERT_EQ(module.parameters.size(), 4U);
  EXPECT_EQ(module.parameters[0].value, write.operands[0]);
  EXPECT_EQ(module.parameters[1].kind, ParameterKind::root);
  EXPECT_EQ(module.parameters[1].result, 0);
  EXPECT_EQ(module.parameters[2].value, write.operands[2]);
  EXPECT_EQ(module.parameters[3].value, write.operands[3]);
  ASSERT_EQ(module.results.size(), 1U);

  const LoweredModule reader = lower_node(graph, node_of(graph, "sparse_attention"));
  for (const Parameter& parameter : reader.parameters) EXPECT_EQ(parameter.result, -1);
}

TEST(Lower, NodesThatAreAlikeHaveTheSameText) {
  const Graph graph = two_layers();
  const auto text_of = [&](std::string_view op, int layer, bool offsets) {
    return lower_node(graph, node_of(graph, op, layer), {.offset_parameters = offsets}).text;
  };
  EXPECT_EQ(text_of("linear", 0, false), text_of("linear", 1, false));
  EXPECT_NE(text_of("window_write", 0, false), text_of("window_write", 1, false));
  const std::string text = text_of("window_write", 0, true);
  EXPECT_EQ(text, text_of("window_write", 1, true));
  EXPECT_EQ(test::count_of(text, "%swa_cache.offset: tensor<i32>"), 1);
}

TEST(Lower, RegionsTakeColumnsOfTheirOwn) {
  const RegionPlan plan = plan_regions(two_layers());
  const Graph& kind = *plan.kinds.front().graph;
  const LoweredModule module = lower_graph(kind);
  EXPECT_TRUE(test::is_well_formed(module.text)) << module.text;
  const Parameter* column = find(module, ParameterKind::column, kind, "attn.ring");
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(column->dims, (Dims{kSlots, kRing * kRecord}));
  EXPECT_EQ(column->result, 1);
}

TEST(Lower, CallsOfAKindHaveTheSameTextOverTheStepsRoot) {
  const Graph graph = layers(3);  // the first reads metadata and is a kind of its own
  const RegionPlan plan = plan_regions(graph);
  ASSERT_EQ(plan.calls.size(), 3U);
  const int kind = plan.calls[1].kind;
  ASSERT_EQ(plan.calls[2].kind, kind);
  const auto lower = [&](std::size_t call, bool offsets) {
    return lower_region(graph, plan.kinds[static_cast<std::size_t>(kind)], plan.calls[call],
                        {.offset_parameters = offsets});
  };
  const LoweredModule first = lower(1, true);
  const LoweredModule second = lower(2, true);
  EXPECT_TRUE(test::is_well_formed(first.text)) << first.text;
  EXPECT_EQ(first.text, second.text);
  EXPECT_NE(lower(1, false).text, lower(2, false).text);  // each has its own offset inside
  const Parameter* root = find(first, ParameterKind::root, graph, "state_buffer");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->result, 1);
  EXPECT_NE(find(second, ParameterKind::weight, graph, "layers.2.w"), nullptr);
  EXPECT_EQ(graph.value(second.results.front().value).name, "layers.2.attn.y");
}

TEST(Lower, RootsAreKeptWhereAliasingIsOff) {
  const Graph graph = two_layers();
  const LoweredModule module = lower_graph(graph, {.alias_roots = false});
  EXPECT_EQ(module.text.find("tf.aliasing_output"), std::string::npos);
  EXPECT_EQ(find(module, ParameterKind::root, graph, "state_buffer")->result, -1);
  EXPECT_EQ(module.results.back().kind, ResultKind::root);
}

TEST(Lower, RootsWhoseViewsStepDifferentlyAreOneRow) {
  GraphBuilder b(1);
  const ValueId root = b.root("state_buffer", 64 + kSlots * kRing * kRecord);
  const ValueId slots = b.metadata("slots", DType::i32, {1});
  const ValueId positions = b.metadata("positions", DType::i32, {1});
  const ValueId x = b.metadata("x", DType::f32, {1, 64});
  const ValueId ring = b.add(CacheView{.recipe = {.root = CacheRoot::state,
                                                  .offset = 64,
                                                  .row_bytes = kRing * kRecord,
                                                  .shape = {kSlots, kRing, kRecord},
                                                  .dtype = DType::u8}},
                             {root}, "ring");
  b.add(WindowWrite{}, {x, ring, slots, positions}, "write");
  b.output("x", b.add(Scale{.factor = 2}, {x}, "y"));
  const Graph graph = b.finish();
  const LoweredModule module = lower_graph(graph);
  const Parameter* parameter = find(module, ParameterKind::root, graph, "state_buffer");
  ASSERT_NE(parameter, nullptr);
  EXPECT_EQ(parameter->dims, (Dims{1, 64 + kSlots * kRing * kRecord}));
}

TEST(Lower, RootsBeyondThirtyOneBitsAreIndexedWithSixtyFour) {
  const RootDims small{.rows = 1, .width = 1LL << 30, .by_rows = false};
  const RootDims large{.rows = 1, .width = 1LL << 32, .by_rows = false};
  const RootDims by_rows{.rows = 1LL << 20, .width = 1LL << 14, .by_rows = true};
  EXPECT_EQ(small.index_type(), Element::i32);
  EXPECT_EQ(large.index_type(), Element::i64);
  EXPECT_EQ(by_rows.index_type(), Element::i32);
}

TEST(Lower, UnpacksLargeWeightsInPieces) {
  const Graph graph = two_layers();
  const Node& linear = node_of(graph, "linear");
  EXPECT_EQ(test::count_of(lower_node(graph, linear).text, "stablehlo.while"), 0);
  const LowerOptions tight{.types = {.piece_bytes = 64 * 32 * 4}};
  EXPECT_EQ(test::count_of(lower_node(graph, linear, tight).text, "stablehlo.while"), 1);
}

TEST(Lower, ChoosesHowCodesBecomeNumbers) {
  const Graph graph = two_layers();
  const Node& linear = node_of(graph, "linear");
  const auto text = [&](const TypeSupport& types) {
    return lower_node(graph, linear, {.types = types}).text;
  };
  EXPECT_EQ(test::count_of(text({}), "tensor<256xf32>, tensor<64x64xi32>"), 1);
  EXPECT_EQ(test::count_of(text({.f8e4m3fn = true}), "tensor<64x64xf8E4M3FN>"), 2);
  const std::string arithmetic = text({.otherwise = Decoding::arithmetic});
  EXPECT_EQ(test::count_of(arithmetic, "gather"), 0);
  EXPECT_EQ(test::count_of(arithmetic, "f8E4M3FN"), 0);
}

}  // namespace
}  // namespace deepinfer::pjrt
