#include "graph/graph_builder.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

template <typename Call>
std::string builder_error(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(GraphBuilder, InfersShapesAndNamesResultsByPlace) {
  GraphBuilder graph(4);
  const ValueId x = graph.metadata("x", DType::f32, {4, 64});
  ValueId y = -1;
  {
    const GraphBuilder::Scope outer(graph, "layers.0");
    const GraphBuilder::Scope inner(graph, "attn");
    y = graph.add(Linear{}, {x, graph.weight("w", WeightFormat::fp8, {96, 64})}, "q");
  }
  EXPECT_EQ(graph.value(y).name, "layers.0.attn.q");
  EXPECT_EQ(graph.value(y).shape, (Shape{4, 96}));
  EXPECT_EQ(graph.value(y).dtype, DType::f32);
  const ValueId z = graph.add(Scale{.factor = 2}, {y}, "z");
  EXPECT_EQ(graph.value(z).name, "z");  // the scopes have ended
  graph.output("z", z);
  const Graph done = graph.finish();
  EXPECT_EQ(done.rows, 4);
  EXPECT_EQ(done.nodes.size(), 2U);
  EXPECT_EQ(done.nodes[0].place, "layers.0.attn");
}

TEST(GraphBuilder, RepeatedNamesGetANumber) {
  GraphBuilder graph(1);
  const ValueId x = graph.metadata("x", DType::f32, {1, 8});
  EXPECT_EQ(graph.value(graph.add(Scale{}, {x}, "y")).name, "y");
  EXPECT_EQ(graph.value(graph.add(Scale{}, {x}, "y")).name, "y.2");
  EXPECT_EQ(graph.value(graph.add(Scale{}, {x}, "y")).name, "y.3");
}

TEST(GraphBuilder, AWeightIsOneValueHoweverOftenItIsUsed) {
  GraphBuilder graph(1);
  const ValueId w = graph.weight("w", WeightFormat::fp8, {32, 32});
  EXPECT_EQ(graph.weight("w", WeightFormat::fp8, {32, 32}), w);
  const std::string text = builder_error([&] { graph.weight("w", WeightFormat::fp8, {32, 64}); });
  EXPECT_NE(text.find("weight 'w' is used in two ways, expected [32, 32], got [32, 64]"),
            std::string::npos)
      << text;
  EXPECT_THROW(graph.weight("w", WeightFormat::plain, {32, 32}), Error);
}

TEST(GraphBuilder, ABankNamesOneTensorPerExpert) {
  GraphBuilder graph(1);
  const ValueId bank =
      graph.weight_bank("layers.0.ffn.experts.", ".w1", WeightFormat::fp4, {3, 64, 32});
  EXPECT_EQ(graph.value(bank).tensor_names,
            (std::vector<std::string>{"layers.0.ffn.experts.0.w1", "layers.0.ffn.experts.1.w1",
                                      "layers.0.ffn.experts.2.w1"}));
}

TEST(GraphBuilder, AWrongShapeNamesOpPlaceOperandExpectedAndFound) {
  GraphBuilder graph(4);
  const GraphBuilder::Scope scope(graph, "layers.3");
  const ValueId x = graph.metadata("x", DType::f32, {4, 64});
  const ValueId w = graph.weight("norm.weight", WeightFormat::plain, {32});
  const std::string text = builder_error([&] { graph.add(RmsNorm{.eps = 1e-6F}, {x, w}, "y"); });
  EXPECT_NE(text.find("graph op rms_norm at layers.3"), std::string::npos) << text;
  EXPECT_NE(text.find("operand 'weight' (norm.weight) has the wrong shape"), std::string::npos)
      << text;
  EXPECT_NE(text.find("expected [64], got [32]"), std::string::npos) << text;
}

TEST(GraphBuilder, WrongTypesKindsAndCountsAreRefused) {
  GraphBuilder graph(4);
  const ValueId x = graph.metadata("x", DType::f32, {4, 64});
  const ValueId ids = graph.metadata("ids", DType::i32, {4, 64});
  const ValueId w = graph.weight("w", WeightFormat::plain, {64});
  const auto refused = [&](std::vector<ValueId> operands, const char* part) {
    const std::string text = builder_error([&] { graph.add(RmsNorm{}, operands, "y"); });
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  refused({ids, w}, "has the wrong type");
  refused({x, x}, "is of the wrong kind");
  refused({w, w}, "is of the wrong kind");
  refused({x}, "has the wrong number of operands");
  refused({x, w, w}, "has the wrong number of operands");
  refused({x, 99}, "operand 'weight' does not exist");
  refused({-1, w}, "operand 'x' does not exist");
}

TEST(GraphBuilder, AnOpWithoutResultsGivesMinusOne) {
  GraphBuilder graph(2);
  const ValueId root = graph.root("state_buffer", 1000);
  const ViewRecipe recipe{.root = CacheRoot::state,
                          .offset = 0,
                          .row_bytes = 8 * 66,
                          .shape = {1, 8, 66},
                          .dtype = DType::u8};
  const ValueId view = graph.add(CacheView{.recipe = recipe}, {root}, "swa_cache");
  EXPECT_EQ(graph.value(view).kind, ValueKind::view);
  const ValueId kv = graph.metadata("kv", DType::f32, {2, 64});
  const ValueId slots = graph.metadata("slots", DType::i32, {2});
  const ValueId positions = graph.metadata("positions", DType::i32, {2});
  EXPECT_EQ(graph.add(WindowWrite{}, {kv, view, slots, positions}, ""), -1);
}

TEST(GraphBuilder, AViewBeyondItsRootIsRefused) {
  GraphBuilder graph(2);
  const ValueId root = graph.root("state_buffer", 100);
  const ViewRecipe recipe{.root = CacheRoot::state,
                          .offset = 40,
                          .row_bytes = 66,
                          .shape = {1, 66},
                          .dtype = DType::u8};
  EXPECT_THROW(graph.add(CacheView{.recipe = recipe}, {root}, "view"), Error);
}

}  // namespace
}  // namespace deepinfer
