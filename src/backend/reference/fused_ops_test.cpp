// The joined ops on cases small enough to compute by hand.

#include "backend/reference/reference_test.h"

namespace deepinfer::reference {
namespace {

using ReferenceFusedOps = ReferenceOp;

TEST_F(ReferenceFusedOps, HcCollapseNorm) {
  const Given streams = f.activation("streams", {1, 2, 2}, {1, 2, 1, 1});
  const Given pre = f.activation("pre", {1, 2}, {1, 2});
  const Given weight = f.plain_weight("w", {2}, {1, 2});
  // The sum is (3, 4): mean square 12.5, with eps 16.
  EXPECT_EQ(
      run(HcCollapseNorm{.collapse = {}, .norm = {.eps = 3.5F}}, {streams, pre, weight}).f32(),
      (Floats{0.75F, 2}));
}

TEST_F(ReferenceFusedOps, HcCollapseNormRoundsBothTimes) {
  const Given streams = f.activation("streams", {1, 1, 2}, {1.00390625F, 0});
  const Given pre = f.activation("pre", {1, 1}, {1});
  const Given weight = f.plain_weight("w", {2}, {1.00390625F, 1});
  // eps makes the root 1: 0.50391 + 0.49609 without rounding, 0.5 + 0.5 with.
  const HcCollapseNorm rounded{.collapse = {.rounding = Rounding::bf16},
                               .norm = {.eps = 0.5F, .rounding = Rounding::bf16}};
  EXPECT_EQ(run(rounded, {streams, pre, weight}).f32(), (Floats{1, 0}));
  const HcCollapseNorm unrounded_norm{.collapse = {.rounding = Rounding::bf16},
                                      .norm = {.eps = 0.5F}};
  EXPECT_EQ(run(unrounded_norm, {streams, pre, weight}).f32(), (Floats{1.00390625F, 0}));
}

TEST_F(ReferenceFusedOps, RmsNormRope) {
  const Given x = f.activation("x", {1, 2}, {3, 4});
  const Given weight = f.plain_weight("w", {2}, {4, 0});
  const Given at = f.integers("at", {1}, {1});
  const RmsNormRope op{
      .norm = {.eps = 3.5F},
      .rope = {.head_dim = 2, .frequencies = std::make_shared<const Floats>(Floats{1})}};
  // The norm is (3, 0); turned by 1.
  const float c = 0.540302306F;
  const float s = 0.841470985F;
  EXPECT_EQ(run(op, {x, weight, at}).f32(), (Floats{3 * c, 3 * s}));
  EXPECT_EQ(run_in_place(op, {x, weight, at}).f32(), (Floats{3 * c, 3 * s}));
}

TEST_F(ReferenceFusedOps, LinearGroup) {
  const Given x = f.activation("x", {2, 2}, {1, 2, 3, 4});
  const Given a = f.plain_weight("a", {1, 2}, {1, 1});
  const Given b = f.plain_weight("b", {2, 2}, {1, 0, 0, 10});
  const OpRun two = run(LinearGroup{}, {x, a, b});
  ASSERT_EQ(two.results(), 2U);
  EXPECT_EQ(two.f32(0), (Floats{3, 7}));
  EXPECT_EQ(two.f32(1), (Floats{1, 20, 3, 40}));
  const OpRun four = run(LinearGroup{}, {x, a, b, b, a});
  ASSERT_EQ(four.results(), 4U);
  EXPECT_EQ(four.f32(2), two.f32(1));
  EXPECT_EQ(four.f32(3), two.f32(0));
}

}  // namespace
}  // namespace deepinfer::reference
