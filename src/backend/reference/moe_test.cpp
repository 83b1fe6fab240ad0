#include "backend/reference/moe.h"

#include <cmath>

#include "backend/reference/reference_test.h"

namespace deepinfer::reference {
namespace {

using ReferenceRouter = ReferenceOp;
using ReferenceMoe = ReferenceOp;

TEST(ReferenceSwiglu, ClampsTheGateFromAboveOnlyAndTheUpBothWays) {
  const auto silu = [](double g) { return g / (1 + std::exp(-g)); };
  EXPECT_FLOAT_EQ(swiglu(5, 5, 1, 2, Rounding::none), static_cast<float>(silu(2) * 2));
  EXPECT_FLOAT_EQ(swiglu(-5, -5, 1, 2, Rounding::none), static_cast<float>(silu(-5) * -2));
  EXPECT_FLOAT_EQ(swiglu(5, 5, 0.5, 0, Rounding::none), static_cast<float>(silu(5) * 2.5));
}

TEST_F(ReferenceRouter, BiasChoosesButDoesNotWeigh) {
  const Given logits = f.activation("logits", {1, 3}, {0, 0, 0});
  const Given bias = f.plain_weight("bias", {3}, {0, 1, 2});
  const OpRun result = run(Router{.experts_per_token = 2, .route_scale = 3}, {logits, bias});
  EXPECT_EQ(result.i32(0), (Ints{2, 1}));
  EXPECT_EQ(result.f32(1), (Floats{1.5F, 1.5F}));
}

TEST_F(ReferenceRouter, TiesGoToTheLowerIndex) {
  const Given logits = f.activation("logits", {1, 4}, {1, 2, 2, 2});
  const Given bias = f.plain_weight("bias", {4}, {0, 0, 0, 0});
  EXPECT_EQ(run(Router{.experts_per_token = 2}, {logits, bias}).i32(0), (Ints{1, 2}));
}

TEST_F(ReferenceRouter, SoftplusIsLinearAbove20AndOneExpertIsNotNormalised) {
  const Given logits = f.activation("logits", {1, 2}, {0, 50});
  const Given bias = f.plain_weight("bias", {2}, {0, 0});
  const OpRun result = run(Router{.experts_per_token = 1, .temperature = 2}, {logits, bias});
  EXPECT_EQ(result.i32(0), Ints{1});
  EXPECT_EQ(result.f32(1), Floats{5});  // sqrt(50 / 2)
}

class ReferenceTwoExperts : public ReferenceOp {
 protected:
  /// Width 1: experts 0 and 1 and the shared expert, w1 = 1, w3 = 1, 2, 3, w2 = 1, 10, 100.
  OpRun experts(const Ints& chosen, const Floats& weights, const Ints& positions) {
    const auto rows = static_cast<std::int64_t>(positions.size());
    return run(
        Moe{},
        {f.activation("x", {rows, 1}, Floats(positions.size(), 1)),
         f.integers("chosen", {rows, 2}, chosen), f.activation("weights", {rows, 2}, weights),
         f.integers("positions", {rows}, positions), f.plain_weight("w1", {2, 1, 1}, {1, 1}),
         f.plain_weight("w3", {2, 1, 1}, {1, 2}), f.plain_weight("w2", {2, 1, 1}, {1, 10}),
         f.plain_weight("s1", {1, 1}, {1}), f.plain_weight("s3", {1, 1}, {3}),
         f.plain_weight("s2", {1, 1}, {100})});
  }
};

TEST_F(ReferenceTwoExperts, WeightsFollowTheirExpertAndPaddingGivesZero) {
  const double silu = 1 / (1 + std::exp(-1.0));
  const Floats y = experts({1, 0, 0, 1}, {0.25F, 0.5F, 0.25F, 0.5F}, {3, -1}).f32();
  EXPECT_NEAR(y[0], silu * (0.5 * 1 + 0.25 * 20 + 300), 1e-4);
  EXPECT_EQ(y[1], 0);
}

TEST_F(ReferenceTwoExperts, NaNInPaddingDoesNotSpread) {
  const Floats y = experts({0, 1, 0, 1}, {0.5F, 0.5F, NAN, NAN}, {0, -1}).f32();
  EXPECT_EQ(y[1], 0);
}

TEST_F(ReferenceMoe, RoutingWeightIsMultipliedBeforeTheQuantisedSecondLinear) {
  // m = weight * silu(g) * u meets w2's Q8 input grid: 1/3 of it lands on other codes than m does.
  Floats x(32);
  x[0] = 1;
  Floats pick(32 * 32);
  for (std::size_t i = 0; i < 32; ++i) pick[i * 32] = static_cast<float>(i + 1) / 8;
  Floats eye(32 * 32);
  for (std::size_t i = 0; i < 32; ++i) eye[i * 33] = 1;
  const Floats zero(32 * 32);
  const float weight = 1.0F / 3;
  const Floats y =
      run(Moe{.quantise_input = true, .rounding = Rounding::bf16},
          {f.activation("x", {1, 32}, x), f.integers("chosen", {1, 1}, {0}),
           f.activation("weights", {1, 1}, {weight}), f.integers("positions", {1}, {0}),
           f.plain_weight("w1", {1, 32, 32}, pick), f.plain_weight("w3", {1, 32, 32}, pick),
           f.plain_weight("w2", {1, 32, 32}, eye), f.plain_weight("s1", {32, 32}, pick),
           f.plain_weight("s3", {32, 32}, pick), f.plain_weight("s2", {32, 32}, zero)})
          .f32();
  Floats expected;
  for (std::size_t i = 0; i < 32; ++i)
    expected.push_back(swiglu(pick[i * 32], pick[i * 32], weight, 0, Rounding::bf16));
  deepinfer::fake_quantise(Quantiser::q8, expected);
  EXPECT_EQ(y, expected);
}

}  // namespace
}  // namespace deepinfer::reference
