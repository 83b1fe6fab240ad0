#include <cmath>

#include "backend/reference/reference_test.h"

namespace deepinfer::reference {
namespace {

using ReferenceElementwise = ReferenceOp;

TEST_F(ReferenceElementwise, RmsNormAddsEpsToTheMeanOfSquares) {
  const Given x = f.activation("x", {1, 2}, {3, 4});
  const Given w = f.plain_weight("w", {2}, {1, 2});
  // mean square 12.5; 12.5 + 3.5 = 16
  EXPECT_EQ(run(RmsNorm{.eps = 3.5F}, {x, w}).f32(), (Floats{0.75F, 2}));
  EXPECT_EQ(run_in_place(RmsNorm{.eps = 3.5F}, {x, w}).f32(), (Floats{0.75F, 2}));
}

TEST_F(ReferenceElementwise, ScaleRoundsOnce) {
  const Given x = f.activation("x", {1, 2}, {1.00390625F, -8});
  EXPECT_EQ(run(Scale{.factor = 0.5F}, {x}).f32(), (Floats{0.501953125F, -4}));
  EXPECT_EQ(run(Scale{.factor = 0.5F, .rounding = Rounding::bf16}, {x}).f32(), (Floats{0.5F, -4}));
}

TEST_F(ReferenceElementwise, FakeQuantiseGivesTheCheckValuesOf275) {
  const Given x =
      f.activation("x", {1, 32}, padded({0.30078125F, -1.703125F, 2.484375F, 0.010009765625F}, 32));
  const auto first = [](Floats values) {
    values.resize(4);
    return values;
  };
  EXPECT_EQ(first(run(FakeQuantise{.quantiser = Quantiser::q8}, {x}).f32()),
            (Floats{0.3125F, -1.75F, 2.5F, 0.009765625F}));
  EXPECT_EQ(first(run(FakeQuantise{.quantiser = Quantiser::q4u}, {x}).f32()),
            (Floats{0.25F, -1.5F, 2, 0}));
  EXPECT_EQ(first(run_in_place(FakeQuantise{.quantiser = Quantiser::q4e}, {x}).f32()),
            (Floats{0.203125F, -1.625F, 2.4375F, 0}));
}

TEST_F(ReferenceElementwise, EmbeddingCopiesTheRowIntoEveryStream) {
  const Given ids = f.integers("ids", {2}, {2, 0});
  const Given table = f.plain_weight("table", {3, 2}, {1, 2, 3, 4, 5, 6}, DType::bf16);
  const OpRun result = run(Embedding{.streams = 2}, {ids, table});
  EXPECT_EQ(result.f32(0), (Floats{5, 6, 5, 6, 1, 2, 1, 2}));
  EXPECT_EQ(result.f32(1), (Floats{1, 0, 1, 0}));
}

std::shared_ptr<const Floats> frequencies(Floats values) {
  return std::make_shared<const Floats>(std::move(values));
}

TEST_F(ReferenceElementwise, RopeRotatesAdjacentPairsOfEveryHeadsTail) {
  const Given x = f.activation("x", {1, 8}, {7, 8, 1, 0, 7, 8, 0, 1});
  const Given at = f.integers("at", {1}, {1});
  const Rope op{.head_dim = 4, .frequencies = frequencies({1})};
  const float c = 0.540302306F;  // cos and sin of 1
  const float s = 0.841470985F;
  EXPECT_EQ(run(op, {x, at}).f32(), (Floats{7, 8, c, s, 7, 8, -s, c}));
  Rope back = op;
  back.inverse = true;
  EXPECT_EQ(run_in_place(back, {x, at}).f32(), (Floats{7, 8, c, -s, 7, 8, s, c}));
}

TEST_F(ReferenceElementwise, RopeStepsToTheGroupsFirstPositionAndIgnoresPadding) {
  const Given x = f.activation("x", {4, 2}, {1, 0, 1, 0, 1, 0, 1, 0});
  const Given at = f.integers("at", {4}, {2, 3, 0, -1});
  const Rope op{.head_dim = 2, .frequencies = frequencies({1}), .position_step = 2};
  const Floats y = run(op, {x, at}).f32();
  EXPECT_EQ(y[0], y[2]) << "positions 2 and 3 are one group";
  EXPECT_EQ(y[1], y[3]);
  EXPECT_EQ(y[0], -0.416146837F);  // cos 2
  EXPECT_EQ((Floats{y[4], y[5], y[6], y[7]}), (Floats{1, 0, 1, 0}));
}

TEST_F(ReferenceElementwise, RopeTakesTheAngleRoundedToFp32) {
  // fp32(1000001 * 0.1f) = 100000.1015625; the product in double is 100000.10149…
  const Given x = f.activation("x", {1, 2}, {1, 0});
  const Given at = f.integers("at", {1}, {1000001});
  const Rope op{.head_dim = 2, .frequencies = frequencies({0.1F})};
  EXPECT_EQ(run(op, {x, at}).f32().front(), static_cast<float>(std::cos(100000.1015625)));
}

}  // namespace
}  // namespace deepinfer::reference
