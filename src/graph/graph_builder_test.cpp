#include "graph/graph_builder.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"
#include "graph/printer.h"
#include "graph/verify.h"

namespace deepinfer {
namespace {

template <typename Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Two norms and a linear over one metadata buffer.
Graph small_graph() {
  GraphBuilder builder(2);
  const ValueId x = builder.metadata("x", DType::f32, {2, 64});
  const ValueId norm_weight = builder.weight("norm.weight", WeightFormat::plain, {64});
  const ValueId weight = builder.weight("wq", WeightFormat::fp8, {96, 64});
  ValueId y = -1;
  {
    const GraphBuilder::Scope layer(builder, "layers.0");
    const ValueId h =
        builder.add(RmsNorm{.eps = 1e-6F, .rounding = Rounding::bf16}, {x, norm_weight}, "h");
    y = builder.add(Linear{.quantise_input = true, .rounding = Rounding::bf16}, {h, weight}, "y");
  }
  builder.output("y", y);
  return builder.finish();
}

TEST(GraphBuilder, InfersResultTypesAndNamesThemByScope) {
  const Graph graph = small_graph();
  const Value& y = graph.value(graph.outputs.front().value);
  EXPECT_EQ(y.name, "layers.0.y");
  EXPECT_EQ(y.shape, (Shape{2, 96}));
  EXPECT_EQ(y.kind, ValueKind::intermediate);
}

TEST(GraphBuilder, TheSameWeightIsOneValue) {
  GraphBuilder builder(1);
  const ValueId first = builder.weight("w", WeightFormat::plain, {4});
  EXPECT_EQ(builder.weight("w", WeightFormat::plain, {4}), first);
  EXPECT_NE(message_of([&] { builder.weight("w", WeightFormat::plain, {5}); }).find("'w'"),
            std::string::npos);
}

TEST(GraphBuilder, AWrongShapeNamesOpPlaceOperandExpectedAndFound) {
  GraphBuilder builder(2);
  const ValueId x = builder.metadata("x", DType::f32, {2, 64});
  const ValueId weight = builder.weight("norm.weight", WeightFormat::plain, {96});
  const GraphBuilder::Scope scope(builder, "layers.3");
  EXPECT_EQ(message_of([&] {
              builder.add(RmsNorm{}, {x, weight}, "h");
            }),
            "[graph op rms_norm at layers.3] operand 'weight' (norm.weight) has the wrong shape, "
            "expected [64], got [96]");
}

TEST(GraphBuilder, AWrongKindTypeOrFormatIsRefused) {
  GraphBuilder builder(2);
  const ValueId x = builder.metadata("x", DType::f32, {2, 64});
  const ValueId ids = builder.metadata("ids", DType::i32, {2, 64});
  const ValueId plain = builder.weight("a", WeightFormat::plain, {64});
  const ValueId packed = builder.weight("b", WeightFormat::fp4, {32, 64});
  EXPECT_NE(message_of([&] {
              builder.add(RmsNorm{}, {ids, plain}, "h");
            }).find("has the wrong type, expected f32, got i32"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              builder.add(RmsNorm{}, {x, x}, "h");
            }).find("is of the wrong kind, expected weight, got metadata"),
            std::string::npos);
  const ValueId square = builder.weight("c", WeightFormat::fp8, {64});
  EXPECT_NE(message_of([&] {
              builder.add(RmsNorm{}, {x, square}, "h");
            }).find("has the wrong format, expected plain, got fp8"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { builder.add(Linear{}, {x, packed}, "y"); }), "no error");
}

TEST(GraphBuilder, AMissingOrForeignOperandIsRefused) {
  GraphBuilder builder(2);
  const ValueId x = builder.metadata("x", DType::f32, {2, 64});
  EXPECT_NE(message_of([&] {
              builder.add(RmsNorm{}, {x}, "h");
            }).find("has the wrong number of operands, expected 2, got 1"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              builder.add(RmsNorm{}, {x, 77}, "h");
            }).find("operand 'weight' does not exist"),
            std::string::npos);
}

TEST(GraphBuilder, QuantisedInputsNeedWholeBlocks) {
  GraphBuilder builder(1);
  const ValueId x = builder.metadata("x", DType::f32, {1, 48});
  const ValueId weight = builder.weight("w", WeightFormat::plain, {8, 48});
  EXPECT_NE(message_of([&] {
              builder.add(Linear{.quantise_input = true}, {x, weight}, "y");
            }).find("a multiple of 32, got 48"),
            std::string::npos);
}

TEST(GraphBuilder, AViewBeyondItsRootIsRefused) {
  GraphBuilder builder(1);
  const ValueId root = builder.root("kv_buffer", 100);
  ViewRecipe recipe{
      .root = CacheRoot::kv, .offset = 20, .row_bytes = 40, .shape = {2, 40}, .dtype = DType::u8};
  EXPECT_EQ(message_of([&] { builder.add(CacheView{.recipe = recipe}, {root}, "v"); }), "no error");
  recipe.offset = 21;
  EXPECT_NE(message_of([&] {
              builder.add(CacheView{.recipe = recipe}, {root}, "w");
            }).find("expected at least 101 bytes, got 100"),
            std::string::npos);
  recipe.offset = 0;
  recipe.row_bytes = 39;  // rows would overlap
  EXPECT_NE(message_of([&] { builder.add(CacheView{.recipe = recipe}, {root}, "w"); }), "no error");
}

TEST(Verify, RefusesAGraphTamperedWith) {
  const Graph good = small_graph();
  EXPECT_EQ(message_of([&] { verify(good); }), "no error");

  Graph swapped = good;
  std::swap(swapped.nodes[0], swapped.nodes[1]);
  EXPECT_NE(message_of([&] { verify(swapped); }).find("before it is made"), std::string::npos);

  Graph twice = good;
  twice.nodes.push_back(twice.nodes.back());
  EXPECT_NE(message_of([&] { verify(twice); }).find("a second time"), std::string::npos);

  Graph mistyped = good;
  mistyped.values[static_cast<std::size_t>(mistyped.outputs[0].value)].shape = {2, 95};
  EXPECT_NE(message_of([&] { verify(mistyped); }).find("differs from what the op infers"),
            std::string::npos);

  Graph no_output = good;
  no_output.outputs[0].value = 0;  // a metadata buffer
  EXPECT_NE(message_of([&] { verify(no_output); }).find("is not the result of an op"),
            std::string::npos);
}

TEST(Printer, ReadsLikeTheModel) {
  EXPECT_EQ(to_text(small_graph()),
            "graph of 2 rows, 2 ops\n"
            "  metadata $x: f32[2, 64]\n"
            "layers.0:\n"
            "  %h: f32[2, 64] = rms_norm($x, @norm.weight: plain[64]) {eps=1e-06, round=bf16}\n"
            "  %y: f32[2, 96] = linear(%h, @wq: fp8[96, 64]) {quantise_input=true, round=bf16}\n"
            "output y = %layers.0.y\n");
}

}  // namespace
}  // namespace deepinfer
