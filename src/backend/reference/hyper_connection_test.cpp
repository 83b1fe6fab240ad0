#include "backend/reference/hyper_connection.h"

#include <cmath>

#include "backend/reference/reference_test.h"

namespace deepinfer::reference {
namespace {

using ReferenceHyperConnection = ReferenceOp;

WeightRef plain(const Floats& values) {
  return {.format = WeightFormat::plain,
          .dtype = DType::f32,
          .shape = {static_cast<std::int64_t>(values.size())},
          .data = reinterpret_cast<const std::byte*>(values.data()),
          .scales = nullptr};
}

// Fault B16: a sum over the wrong axis. The check values of model specification 2.4, whose matrix
// is not symmetric.
TEST(ReferenceHcSplit, B16_an_asymmetric_mix_gives_the_check_values_of_the_specification) {
  const std::vector<double> m = {0.1,  -0.2, 0.3,  -0.4, 0.05, 0.15, -0.25, 0.35,
                                 -0.3, 0,    0.3,  -0.1, 0.2,  -0.2, 0.1,   -0.3,
                                 0,    0.3,  -0.1, 0.2,  -0.2, 0.1,  -0.3,  0};
  const Floats scale = {0.5F, 0.25F, 0.75F};
  const Floats base = {0.2F, 0, -0.1F, 0.1F, 0, 0.1F, 0.2F, -0.3F,  //
                       1,    0, 0,     0,    0, 1,    0,    0,      //
                       0,    0, 1,     0,    0, 0,    0,    1};
  const HcMix op{.sinkhorn_iters = 20, .hc_eps = 1e-6F, .eps = 1e-20F};
  Floats pre(4);
  Floats post(4);
  Floats comb(16);
  std::vector<double> scratch(16);
  hc_split(op, m.data(), plain(scale), plain(base), 4, scratch.data(),
           {.pre = pre.data(), .post = post.data(), .comb = comb.data()});
  const Floats expected_pre = {0.5621775F, 0.4750218F, 0.5124984F, 0.4750218F};
  const Floats expected_post = {1.0062499F, 1.0686419F, 1.0686419F, 0.8941479F};
  const Floats expected_comb = {0.4235648F, 0.1787156F, 0.2296651F, 0.1680535F,
                                0.2296651F, 0.4235648F, 0.2002440F, 0.1465251F,
                                0.1787156F, 0.2049737F, 0.4235648F, 0.1927450F,
                                0.1680535F, 0.1927449F, 0.1465251F, 0.4926755F};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(pre[i], expected_pre[i], 1e-6);
    EXPECT_NEAR(post[i], expected_post[i], 1e-6);
  }
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(comb[i], expected_comb[i], 1e-6) << i;
}

TEST(ReferenceSinkhorn, B16_ends_with_a_column_step) {
  std::vector<double> comb = {3, -1, 0.5, 2};
  sinkhorn(comb.data(), 2, 2, 1e-6);
  EXPECT_NEAR(comb[0] + comb[2], 1, 1e-5);
  EXPECT_NEAR(comb[1] + comb[3], 1, 1e-5);
  EXPECT_GT(std::abs(comb[0] + comb[1] - 1), 1e-3) << "rows are not yet balanced";
}

TEST_F(ReferenceHyperConnection, MixUsesOneStatisticOverAllStreams) {
  // mean square of (3, 0 | 0, 1) is 2.5; with eps 1.5 the root is 2. m[j] = x[0] / 2 = 1.5.
  Floats fn(8 * 4);
  for (std::size_t j = 0; j < 8; ++j) fn[j * 4] = 1;
  const Given x = f.activation("x", {1, 2, 2}, {3, 0, 0, 1});
  const OpRun mix =
      run(HcMix{.sinkhorn_iters = 1, .hc_eps = 0, .eps = 1.5F},
          {x, f.plain_weight("fn", {8, 4}, fn), f.plain_weight("scale", {3}, {1, 2, 1}),
           f.plain_weight("base", {8}, {0, -1.5F, 0, -3, 0, 0, 0, 0})});
  EXPECT_FLOAT_EQ(mix.f32(0)[0], 0.81757448F);  // sigmoid(1.5)
  EXPECT_FLOAT_EQ(mix.f32(0)[1], 0.5F);
  EXPECT_FLOAT_EQ(mix.f32(1)[0], 2 * 0.95257413F);  // sigmoid(3)
  EXPECT_FLOAT_EQ(mix.f32(1)[1], 1);
  EXPECT_EQ(mix.f32(2), (Floats{0.5F, 0.5F, 0.5F, 0.5F}));
}

TEST_F(ReferenceHyperConnection, CollapseIsTheWeightedSumOfStreams) {
  const Given x = f.activation("x", {1, 2, 2}, {1, 2, 10, 20});
  const Given pre = f.activation("pre", {1, 2}, {2, 0.5F});
  EXPECT_EQ(run(HcCollapse{}, {x, pre}).f32(), (Floats{7, 14}));
}

TEST_F(ReferenceHyperConnection, B16_expand_sums_over_the_first_index_of_comb) {
  const Given y = f.activation("y", {1, 1}, {100});
  const Given x = f.activation("x", {1, 2, 1}, {1, 10});
  const Given post = f.activation("post", {1, 2}, {1, 2});
  const Given comb = f.activation("comb", {1, 2, 2}, {1, 2, 3, 4});
  const Floats expected = {100 + 1 * 1 + 3 * 10, 200 + 2 * 1 + 4 * 10};
  EXPECT_EQ(run(HcExpand{}, {y, x, post, comb}).f32(), expected);
  EXPECT_EQ(run_in_place(HcExpand{}, {y, x, post, comb}).f32(), expected);
}

}  // namespace
}  // namespace deepinfer::reference
