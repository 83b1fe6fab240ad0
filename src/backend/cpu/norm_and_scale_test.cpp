// rms_norm, scale, rope and fake_quantise.

#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

constexpr double kNormFp32 = 2e-6;
constexpr double kNormBf16 = 4e-3;  // one unit in the last place of the largest

double norm_tolerance(Rounding rounding) {
  return rounding == Rounding::bf16 ? kNormBf16 : kNormFp32;
}

TEST(CpuRmsNorm, AgreesWithTheReference) {
  for (const std::int64_t width : {5, 96, 192, 1280})
    for (const DType dtype : {DType::bf16, DType::f32})
      for (const Rounding rounding : {Rounding::none, Rounding::bf16})
        RowCase(RmsNorm{.eps = 1e-20F, .rounding = rounding}, 5)
            .random("x", {width}, 3)
            .shared([=](OpFixture& f) {
              return f.plain_weight("w", {width}, random_values(7, static_cast<std::size_t>(width)),
                                    dtype);
            })
            .check(norm_tolerance(rounding));
}

TEST(CpuRmsNorm, RowOfZerosGivesZeros) {
  RowCase(RmsNorm{.eps = 1e-20F, .rounding = Rounding::none}, 1)
      .floats("x", {32}, std::vector<float>(32, 0.0F))
      .shared([](OpFixture& f) { return f.weight("w", WeightFormat::plain, {32}); })
      .check(0);
}

TEST(CpuRmsNorm, ManyWideRowsAreSplitAmongThreads) {
  RowCase(RmsNorm{.eps = 1e-6F, .rounding = Rounding::bf16}, 13)
      .random("x", {5120})
      .shared([](OpFixture& f) { return f.weight("w", WeightFormat::plain, {5120}); })
      .check(kNormBf16);
}

TEST(CpuScale, AgreesWithTheReference) {
  for (const Rounding rounding : {Rounding::none, Rounding::bf16})
    RowCase(Scale{.factor = 0.0173F, .rounding = rounding}, 9).random("x", {37}).check(0);
}

Rope rope_op(int head_dim, int pairs) {
  std::vector<float> frequencies;
  frequencies.reserve(static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; ++i) frequencies.push_back(1.0F / static_cast<float>(1 + 3 * i * i));
  return {.head_dim = head_dim,
          .frequencies = std::make_shared<const std::vector<float>>(std::move(frequencies))};
}

TEST(CpuRope, AgreesWithTheReferenceAtAllPositions) {
  for (const bool inverse : {false, true})
    for (const int step : {1, 2})
      for (const Rounding rounding : {Rounding::none, Rounding::bf16}) {
        Rope op = rope_op(96, 12);
        op.inverse = inverse;
        op.position_step = step;
        op.rounding = rounding;
        RowCase(op, 7)
            .random("x", {6 * 96})
            .ints("positions", {}, {0, 1, 2, 4097, 1048575, -1, 5})
            .check(norm_tolerance(rounding));
      }
}

TEST(CpuRope, WholeHeadMayRotate) {
  RowCase(rope_op(24, 12), 3).random("x", {24}).ints("positions", {}, {9, -1, 3}).check(kNormFp32);
}

TEST(CpuRope, ManyWideRowsAreSplitAmongThreads) {
  std::vector<std::int32_t> positions;
  positions.reserve(11);
  for (int row = 0; row < 11; ++row) positions.push_back(row * row * 100);
  RowCase(rope_op(512, 32), 11)
      .random("x", {16 * 512})
      .ints("positions", {}, positions)
      .check(kNormFp32);
}

TEST(CpuFakeQuantise, AgreesWithTheReference) {
  for (const Quantiser quantiser : {Quantiser::q8, Quantiser::q4u, Quantiser::q4e})
    for (const std::int64_t width : {32, 192, 4096})
      RowCase(FakeQuantise{.quantiser = quantiser}, 10).random("x", {width}).check(0);
}

}  // namespace
}  // namespace deepinfer::cpu
