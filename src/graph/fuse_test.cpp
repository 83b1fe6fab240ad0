#include "graph/fuse.h"

#include <gtest/gtest.h>

#include "graph/graph_builder.h"
#include "graph/printer.h"

namespace deepinfer {
namespace {

/// What a layer hands to the patterns, in miniature.
class FuseTest : public testing::Test {
 protected:
  static constexpr int kRows = 2;
  FuseTest() : graph_(kRows) {}

  ValueId activation(std::string_view name, std::int64_t width) {
    return graph_.metadata(name, DType::f32, {kRows, width});
  }
  ValueId plain(std::string_view name, const Shape& shape) {
    return graph_.weight(name, WeightFormat::plain, shape);
  }
  ValueId positions() { return graph_.metadata("positions", DType::i32, {kRows}); }
  ValueId linear(std::string_view weight, ValueId x, const Linear& op,
                 WeightFormat format = WeightFormat::fp8, std::int64_t outputs = 32) {
    return graph_.add(op, {x, graph_.weight(weight, format, {outputs, graph_.value(x).shape[1]})},
                      std::string(weight) + ".y");
  }
  ValueId norm(std::string_view name, ValueId x) {
    return graph_.add(RmsNorm{.eps = 0.5F, .rounding = Rounding::bf16},
                      {x, plain(std::string(name) + ".w", {graph_.value(x).shape[1]})}, name);
  }
  ValueId collapse() {
    const ValueId streams = graph_.metadata("streams", DType::f32, {kRows, 4, 32});
    return graph_.add(HcCollapse{.rounding = Rounding::bf16},
                      {streams, graph_.metadata("pre", DType::f32, {kRows, 4})}, "u");
  }
  ValueId rope(ValueId x, ValueId at, std::string_view name = "turned") {
    return graph_.add(Rope{.head_dim = 32,
                           .frequencies = std::make_shared<const std::vector<float>>(
                               std::vector<float>{1, 0.5F})},
                      {x, at}, name);
  }
  /// The ops after the pass, one per line, without the given values.
  std::string ops_after(Graph (*pass)(const Graph&)) {
    const Graph after = pass(graph_.finish());
    std::string text = to_text(after);
    return text.substr(text.find("model:\n") + 7);
  }

  GraphBuilder graph_;
};

TEST_F(FuseTest, TheNormOfACollapseTakesItIn) {
  graph_.output("y", norm("h", collapse()));
  EXPECT_EQ(ops_after(&fuse_collapse_norms),
            "  %h: f32[2, 32] = hc_collapse_norm($streams, $pre, @h.w: plain[32]) "
            "{collapse_round=bf16, eps=0.5, round=bf16}\noutput y = %h\n");
}

TEST_F(FuseTest, ACollapseWithAnotherReaderStays) {
  const ValueId u = collapse();
  graph_.output("y", norm("h", u));
  graph_.output("z", graph_.add(Scale{.factor = 2}, {u}, "z"));
  EXPECT_EQ(fuse_collapse_norms(graph_.finish()).nodes.size(), 3U);
}

TEST_F(FuseTest, ACollapseThatTheCallerMayReadStays) {
  const ValueId u = collapse();
  graph_.output("y", norm("h", u));
  graph_.output("u", u);
  EXPECT_EQ(fuse_collapse_norms(graph_.finish()).nodes.size(), 2U);
}

TEST_F(FuseTest, TheRopeOfANormTakesItIn) {
  graph_.output("y", rope(norm("kv", activation("x", 64)), positions()));
  EXPECT_EQ(ops_after(&fuse_norm_ropes),
            "  %turned: f32[2, 64] = rms_norm_rope($x, @kv.w: plain[64], $positions) "
            "{eps=0.5, norm_round=bf16, head_dim=32, rotated=4, position_step=1, inverse=false}\n"
            "output y = %turned\n");
}

TEST_F(FuseTest, ANormThatIsReadUnturnedAsWellStays) {
  const ValueId latent = norm("latent", activation("x", 64));
  const ValueId at = positions();
  graph_.output("y", rope(latent, at));
  graph_.output("key", linear("wk", latent, Linear{}));
  EXPECT_EQ(fuse(graph_.finish()).nodes.size(), 3U);
}

TEST_F(FuseTest, ANormTurnedTwiceStays) {
  const ValueId latent = norm("latent", activation("x", 64));
  const ValueId at = positions();
  graph_.output("a", rope(latent, at, "a"));
  graph_.output("b", rope(latent, at, "b"));
  EXPECT_EQ(fuse(graph_.finish()).nodes.size(), 3U);
}

TEST_F(FuseTest, LinearsOfOneInputMoveToTheFirst) {
  const ValueId x = activation("x", 64);
  const Linear op{.quantise_input = true, .rounding = Rounding::bf16};
  const ValueId a = linear("a", x, op);
  const ValueId scaled = graph_.add(Scale{.factor = 2}, {a}, "scaled");
  graph_.output("y", scaled);
  graph_.output("b", linear("b", x, op, WeightFormat::fp8, 40));
  EXPECT_EQ(ops_after(&group_linears),
            "  %a.y: f32[2, 32], %b.y: f32[2, 40] = linear_group($x, @a: fp8[32, 64], "
            "@b: fp8[40, 64]) {quantise_input=true, round=bf16}\n"
            "  %scaled: f32[2, 32] = scale(%a.y) {factor=2}\n"
            "output y = %scaled\n"
            "output b = %b.y\n");
}

TEST_F(FuseTest, OfFiveLinearsFourMakeAGroup) {
  const ValueId x = activation("x", 64);
  for (const char* name : {"a", "b", "c", "d", "e"}) graph_.output(name, linear(name, x, Linear{}));
  const Graph after = group_linears(graph_.finish());
  ASSERT_EQ(after.nodes.size(), 2U);
  EXPECT_EQ(after.nodes[0].results.size(), 4U);
  EXPECT_EQ(name_of(after.nodes[1].op), "linear");
}

TEST_F(FuseTest, LinearsThatDifferStayAlone) {
  const ValueId x = activation("x", 64);
  const ValueId y = activation("y", 64);
  linear("plain", x, Linear{}, WeightFormat::plain);
  linear("other_format", x, Linear{}, WeightFormat::fp8);
  linear("other_input", y, Linear{}, WeightFormat::plain);
  linear("quantised", x, Linear{.quantise_input = true}, WeightFormat::plain);
  linear("rounded", x, Linear{.rounding = Rounding::bf16}, WeightFormat::plain);
  EXPECT_EQ(group_linears(graph_.finish()).nodes.size(), 5U);
}

// The last linear of x reads what the others made by way of y: it is none of x's.
TEST_F(FuseTest, ALinearOfAnotherLinearsResultIsNotMoved) {
  const ValueId x = activation("x", 64);
  const ValueId a = linear("a", x, Linear{}, WeightFormat::fp8, 64);
  graph_.output("b", linear("b", a, Linear{}));
  graph_.output("c", linear("c", x, Linear{}));
  const Graph after = group_linears(graph_.finish());
  ASSERT_EQ(after.nodes.size(), 2U);
  EXPECT_EQ(after.value(after.nodes[1].operands[0]).name, "a.y");
}

TEST_F(FuseTest, WhatIsFusedOnceIsNotFusedAgain) {
  const ValueId x = norm("h", collapse());
  const ValueId at = positions();
  const Linear op{.quantise_input = true};
  graph_.output("q", linear("q", x, op));
  graph_.output("kv", rope(norm("kv", linear("w", x, op)), at));
  const Graph once = fuse(graph_.finish());
  EXPECT_EQ(once.nodes.size(), 3U);
  EXPECT_EQ(to_text(fuse(once)), to_text(once));
}

}  // namespace
}  // namespace deepinfer
