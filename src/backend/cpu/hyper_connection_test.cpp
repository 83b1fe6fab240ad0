// embedding, hc_mix, hc_collapse and hc_expand.

#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

constexpr double kHyperFp32 = 5e-6;
constexpr double kHyperBf16 = 4e-3;

TEST(CpuEmbedding, CopiesTheRowToEveryStream) {
  for (const DType dtype : {DType::bf16, DType::f32})
    RowCase(Embedding{.streams = 4}, 5)
        .ints("token_ids", {}, {3, 0, 16, 3, 7})
        .shared([=](OpFixture& f) {
          return f.plain_weight("table", {17, 40}, random_values(3, 17 * 40), dtype);
        })
        .check(0);
}

struct Site {
  std::int64_t streams;
  std::int64_t width;
  int rows;
};

class CpuHyperConnection : public testing::TestWithParam<Site> {};

TEST_P(CpuHyperConnection, Mix) {
  const std::int64_t streams = GetParam().streams;
  const std::int64_t width = GetParam().width;
  const int rows = GetParam().rows;
  const std::int64_t mixers = (2 + streams) * streams;
  for (const DType dtype : {DType::f32, DType::bf16})
    RowCase(HcMix{.sinkhorn_iters = 20, .hc_eps = 1e-6F, .eps = 1e-20F}, rows)
        .random("streams", {streams, width}, 2)
        .shared([=](OpFixture& f) {
          const auto count = static_cast<std::size_t>(mixers * streams * width);
          return f.plain_weight("fn", {mixers, streams * width}, random_values(5, count, 0.05F),
                                dtype);
        })
        .shared([](OpFixture& f) {
          return f.plain_weight("scale", {3}, {0.5F, 0.25F, 0.75F});
        })
        .shared([=](OpFixture& f) {
          return f.plain_weight("base", {mixers},
                                random_values(6, static_cast<std::size_t>(mixers)));
        })
        .check(kHyperFp32);
}

TEST_P(CpuHyperConnection, Collapse) {
  const auto [streams, width, rows] = GetParam();
  for (const Rounding rounding : {Rounding::none, Rounding::bf16})
    RowCase(HcCollapse{.rounding = rounding}, rows)
        .random("streams", {streams, width})
        .random("pre", {streams})
        .check(rounding == Rounding::bf16 ? kHyperBf16 : kHyperFp32);
}

TEST_P(CpuHyperConnection, Expand) {
  const auto [streams, width, rows] = GetParam();
  for (const Rounding rounding : {Rounding::none, Rounding::bf16})
    RowCase(HcExpand{.rounding = rounding}, rows)
        .random("y", {width})
        .random("streams", {streams, width})
        .random("post", {streams})
        .random("comb", {streams, streams})
        .check(rounding == Rounding::bf16 ? kHyperBf16 : kHyperFp32);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CpuHyperConnection,
                         testing::Values(Site{2, 96, 5}, Site{4, 64, 3}, Site{4, 320, 14},
                                         Site{3, 37, 1}, Site{2, 300, 12}));

}  // namespace
}  // namespace deepinfer::cpu
