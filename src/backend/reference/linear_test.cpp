#include "backend/reference/reference_test.h"

namespace deepinfer::reference {
namespace {

using ReferenceLinear = ReferenceOp;

TEST_F(ReferenceLinear, PlainWeightIsRowMajorOutTimesIn) {
  const Given x = f.activation("x", {2, 3}, {1, 2, 3, 4, 5, 6});
  const Given w = f.plain_weight("w", {2, 3}, {1, 0, -1, 2, 2, 2});
  EXPECT_EQ(run(Linear{}, {x, w}).f32(), (Floats{-2, 12, -2, 30}));
}

TEST_F(ReferenceLinear, Bf16WeightAndBf16Result) {
  const Given x = f.activation("x", {1, 2}, {1, 0.00390625F});
  const Given w = f.plain_weight("w", {1, 2}, {1, 1}, DType::bf16);
  EXPECT_EQ(run(Linear{}, {x, w}).f32(), Floats{1.00390625F});
  // 1 + 2^-8 is halfway between two bf16 values: to even.
  EXPECT_EQ(run(Linear{.rounding = Rounding::bf16}, {x, w}).f32(), Floats{1});
}

TEST_F(ReferenceLinear, Fp8ScaleCoversTilesOf32By32) {
  // All codes 1.0 (0x38); scales 2^0, 2^1 / 2^2, 2^3 by tile; the second row of tiles has one row.
  const Given w = f.coded_weight("w", WeightFormat::fp8, {33, 64},
                                 std::vector<std::uint8_t>(33 * 64, 0x38), {127, 128, 129, 130});
  const Given x = f.activation("x", {1, 64}, Floats(64, 1));
  const Floats y = run(Linear{}, {x, w}).f32();
  EXPECT_EQ(y.front(), 32 * 1 + 32 * 2);
  EXPECT_EQ(y[31], 32 * 1 + 32 * 2);
  EXPECT_EQ(y[32], 32 * 4 + 32 * 8);
}

TEST_F(ReferenceLinear, Fp4HasTheEvenChannelInTheLowNibble) {
  std::vector<std::uint8_t> codes(16);
  codes[0] = 0x72;  // channels 0 and 1: 1.0 and 6.0
  const Given w = f.coded_weight("w", WeightFormat::fp4, {1, 32}, codes, {128});
  const Given x = f.activation("x", {1, 32}, padded({1, 100}, 32));
  EXPECT_EQ(run(Linear{}, {x, w}).f32(), Floats{2 * (1 + 600)});
}

TEST_F(ReferenceLinear, QuantisedInputIsTheCheckValueOf275) {
  // Model specification 2.7.5, Q8.
  const Given x =
      f.activation("x", {1, 32}, padded({0.30078125F, -1.703125F, 2.484375F, 0.010009765625F}, 32));
  Floats rows(4 * 32);
  for (std::size_t i = 0; i < 4; ++i) rows[i * 32 + i] = 1;
  const Given w = f.plain_weight("w", {4, 32}, rows);
  EXPECT_EQ(run(Linear{.quantise_input = true}, {x, w}).f32(),
            (Floats{0.3125F, -1.75F, 2.5F, 0.009765625F}));
}

TEST_F(ReferenceLinear, GroupsSeeTheirOwnChannels) {
  const Given x = f.activation("x", {1, 4}, {1, 2, 3, 4});
  const Given w = f.plain_weight("w", {4, 2}, {1, 0, 0, 1, 1, 0, 0, 1});
  EXPECT_EQ(run(GroupedLinear{.groups = 2}, {x, w}).f32(), (Floats{1, 2, 3, 4}));
  const Given sums = f.plain_weight("sums", {2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(run(GroupedLinear{.groups = 2}, {x, sums}).f32(), (Floats{3, 7}));
}

TEST_F(ReferenceLinear, LmHeadLeavesUnwantedRowsZero) {
  const Given h = f.activation("h", {2, 2}, {1, 2, 3, 4});
  const Given w = f.plain_weight("w", {2, 2}, {1, 1, 1, -1}, DType::bf16);
  const Given wants = f.integers("wants", {2}, {0, 1});
  EXPECT_EQ(run(LmHead{}, {h, w, wants}).f32(), (Floats{0, 0, 7, -1}));
}

}  // namespace
}  // namespace deepinfer::reference
