// Products whose inputs are bf16 values, as in official numerics: what a matrix unit takes, where
// there is one. Its own limits (16 inputs, 16 outputs and 32 channels a tile; 32 outputs, 8 blocks
// and 256 inputs at a time) decide the shapes.

#include <gtest/gtest.h>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

constexpr double kTolerance = 1e-5;  // sums of up to some thousand products in fp32

const Linear kBf16Linear{.input = Rounding::bf16};

RowCase coded(WeightFormat format, std::int64_t width, std::int64_t outputs, int rows) {
  RowCase test(kBf16Linear, rows);
  test.random("x", {width}, 2).shared([=](OpFixture& f) {
    return f.weight("w", format, {outputs, width});
  });
  return test;
}

RowCase plain(std::int64_t width, std::int64_t outputs, int rows) {
  RowCase test(kBf16Linear, rows);
  test.random("x", {width}, 2).shared([=](OpFixture& f) {
    return f.plain_weight("w", {outputs, width},
                          random_values(5, static_cast<std::size_t>(outputs * width)), DType::bf16);
  });
  return test;
}

TEST(CpuBf16Inputs, EveryNumberOfOutputs) {
  for (const std::int64_t outputs : {1, 2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 97}) {
    SCOPED_TRACE(outputs);
    for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
      coded(format, 64, outputs, 3).check(kTolerance);
    plain(64, outputs, 3).check(kTolerance);
  }
}

TEST(CpuBf16Inputs, EveryNumberOfRows) {
  for (const int rows : {1, 2, 15, 16, 17, 31, 32, 33, 49, 100}) {
    SCOPED_TRACE(rows);
    for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
      coded(format, 96, 35, rows).check(kTolerance);
    plain(96, 35, rows).check(kTolerance);
  }
}

TEST(CpuBf16Inputs, WidthsOfManyChunksAndBrokenBlocks) {
  for (const std::int64_t width : {2, 18, 34, 254, 256, 258, 288, 512, 802}) {
    SCOPED_TRACE(width);
    for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
      for (const int rows : {2, 35}) coded(format, width, 66, rows).check(kTolerance);
    for (const int rows : {2, 35}) plain(width, 66, rows).check(kTolerance);
  }
  for (const std::int64_t width : {1, 31, 33, 257}) plain(width, 34, 3).check(kTolerance);
}

TEST(CpuBf16Inputs, MoreRowsThanWeightsAreUnpackedForAtOnce) {
  coded(WeightFormat::fp8, 320, 40, 300).check(kTolerance);
  coded(WeightFormat::fp4, 320, 40, 257).check(kTolerance);
}

TEST(CpuBf16Inputs, EveryCodeIsExact) {
  std::vector<std::uint8_t> e4m3;
  std::vector<std::uint8_t> e2m1;
  for (int row = 0; row < 256; ++row)
    for (int column = 0; column < 32; ++column) {
      const auto code = static_cast<std::uint8_t>(row + column);
      e4m3.push_back((code & 0x7f) == 0x7f ? 0 : code);  // NaN never passes the checkpoint check
      if (column < 16) e2m1.push_back(static_cast<std::uint8_t>(row + 7 * column));
    }
  const auto check = [](WeightFormat format, const std::vector<std::uint8_t>& codes, int scale,
                        std::size_t channel) {
    std::vector<float> x(32, 0.0F);
    x[channel] = 1;
    RowCase(kBf16Linear, 1)
        .floats("x", {32}, x)
        .shared([&](OpFixture& f) {
          return f.coded_weight("w", format, {256, 32}, codes,
                                std::vector<std::uint8_t>(format == WeightFormat::fp8 ? 8 : 256,
                                                          static_cast<std::uint8_t>(scale)));
        })
        .check(0);
  };
  for (const int scale : {20, 118, 127, 136, 240})
    for (std::size_t channel = 0; channel < 32; channel += scale == 127 ? 1 : 7) {
      SCOPED_TRACE("scale " + std::to_string(scale) + ", channel " + std::to_string(channel));
      check(WeightFormat::fp8, e4m3, scale, channel);
      check(WeightFormat::fp4, e2m1, scale, channel);
    }
}

TEST(CpuBf16Inputs, GroupsAndHeadsPackTheirOwnSets) {
  RowCase(GroupedLinear{.groups = 3, .input = Rounding::bf16}, 19)
      .random("x", {3 * 64}, 2)
      .shared([](OpFixture& f) {
        return f.weight("w", WeightFormat::fp8, {3 * 20, 64});
      })
      .check(kTolerance);
  std::vector<std::int32_t> wanted(37, 1);
  for (const std::size_t row : {0, 5, 6, 20, 36}) wanted[row] = 0;
  RowCase(LmHead{.input = Rounding::bf16}, 37)
      .random("h", {96}, 2)
      .shared([](OpFixture& f) {
        return f.plain_weight("w", {70, 96}, random_values(7, 70 * 96), DType::bf16);
      })
      .ints("wants_logits", {}, wanted)
      .check(kTolerance);
}

}  // namespace
}  // namespace deepinfer::cpu
