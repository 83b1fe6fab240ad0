#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

constexpr double kLinearFp32 = 1e-5;       // sums of some hundred products in fp32
constexpr double kLinearBf16 = 1.0 / 128;  // one unit in the last place of the largest

double linear_tolerance(Rounding rounding) {
  return rounding == Rounding::bf16 ? kLinearBf16 : kLinearFp32;
}

RowCase quantised_case(WeightFormat format, std::int64_t width, std::int64_t outputs, int rows,
                       bool quantise_input, Rounding rounding) {
  RowCase test(Linear{.quantise_input = quantise_input, .rounding = rounding}, rows);
  test.random("x", {width}, 2).shared([=](OpFixture& f) {
    return f.weight("w", format, {outputs, width});
  });
  return test;
}

RowCase plain_case(DType dtype, std::int64_t width, std::int64_t outputs, int rows) {
  RowCase test(Linear{}, rows);
  test.random("x", {width}, 2).shared([=](OpFixture& f) {
    return f.plain_weight("w", {outputs, width},
                          random_values(9, static_cast<std::size_t>(outputs * width)), dtype);
  });
  return test;
}

TEST(CpuLinear, QuantisedWeightsAgreeWithTheReference) {
  for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
    for (const bool quantise_input : {false, true})
      for (const Rounding rounding : {Rounding::none, Rounding::bf16}) {
        SCOPED_TRACE(std::string(name_of(format)) + (quantise_input ? ", q8" : ""));
        quantised_case(format, 96, 33, 5, quantise_input, rounding)
            .check(linear_tolerance(rounding));
        quantised_case(format, 32, 1, 3, quantise_input, rounding)
            .check(linear_tolerance(rounding));
      }
}

TEST(CpuLinear, EveryNumberOfOutputsAndRowsFillsItsTiles) {
  for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
    for (const std::int64_t outputs : {2, 3, 5, 31, 32, 34, 67})
      quantised_case(format, 64, outputs, 4, true, Rounding::none).check(kLinearFp32);
  for (const int rows : {1, 2, 7, 8, 9, 15, 17})
    quantised_case(WeightFormat::fp8, 64, 9, rows, true, Rounding::none).check(kLinearFp32);
}

TEST(CpuLinear, WidthsNeedNotBeWholeBlocks) {
  for (const std::int64_t width : {2, 18, 34, 70})
    for (const WeightFormat format : {WeightFormat::fp8, WeightFormat::fp4})
      quantised_case(format, width, 35, 3, false, Rounding::none).check(kLinearFp32);
  for (const std::int64_t width : {1, 15, 17, 31, 33, 95})
    for (const DType dtype : {DType::bf16, DType::f16, DType::f32})
      plain_case(dtype, width, 5, 3).check(kLinearFp32);
}

TEST(CpuLinear, PlainWeightsOfAllTypesAgreeWithTheReference) {
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32})
    plain_case(dtype, 192, 37, 9).check(kLinearFp32);
}

TEST(CpuLinear, LargeProductsAreSharedAmongThreads) {
  quantised_case(WeightFormat::fp8, 640, 131, 6, true, Rounding::bf16).check(kLinearBf16);
  quantised_case(WeightFormat::fp4, 640, 131, 6, true, Rounding::bf16).check(kLinearBf16);
  plain_case(DType::bf16, 640, 131, 6).check(kLinearFp32);
}

// Weights that a dot product with a single nonzero input reads back one at a time: output o is
// weight [o, channel] times the input there, with no rounding at all.
void expect_codes(WeightFormat format, const std::vector<std::uint8_t>& codes, std::int64_t outputs,
                  std::uint8_t scale, float input) {
  const std::int64_t width = 32;
  for (const std::int64_t channel : {0, 1, 15, 16, 30, 31}) {
    std::vector<float> x(static_cast<std::size_t>(width), 0.0F);
    x[static_cast<std::size_t>(channel)] = input;
    const auto blocks = format == WeightFormat::fp8 ? (outputs + 31) / 32 : outputs;
    RowCase(Linear{}, 1)
        .floats("x", {width}, x)
        .shared([&](OpFixture& f) {
          return f.coded_weight("w", format, {outputs, width}, codes,
                                std::vector<std::uint8_t>(static_cast<std::size_t>(blocks), scale));
        })
        .check(0);
  }
}

std::vector<std::uint8_t> every_e4m3_code() {
  std::vector<std::uint8_t> codes;
  for (int row = 0; row < 256; ++row)
    for (int column = 0; column < 32; ++column) {
      const auto code = static_cast<std::uint8_t>(row + column);
      codes.push_back((code & 0x7f) == 0x7f ? 0 : code);  // NaN never passes the checkpoint check
    }
  return codes;
}

std::vector<std::uint8_t> every_e2m1_pair() {
  std::vector<std::uint8_t> codes;
  for (int row = 0; row < 256; ++row)
    for (int column = 0; column < 16; ++column)
      codes.push_back(static_cast<std::uint8_t>(row + 7 * column));
  return codes;
}

TEST(CpuLinear, EveryCodeIsExactSubnormalsIncluded) {
  expect_codes(WeightFormat::fp8, every_e4m3_code(), 256, 127, 1);
  expect_codes(WeightFormat::fp4, every_e2m1_pair(), 256, 127, 1);
}

TEST(CpuLinear, ScalesAreExactUpToTheirEnds) {
  for (const int scale : {0, 1, 2, 118, 136, 240}) {
    SCOPED_TRACE("scale " + std::to_string(scale));
    // The input brings the product back to where fp32 holds it exactly.
    const float input = std::ldexp(1.0F, (127 - scale) / 2);
    expect_codes(WeightFormat::fp8, every_e4m3_code(), 256, static_cast<std::uint8_t>(scale),
                 input);
    expect_codes(WeightFormat::fp4, every_e2m1_pair(), 256, static_cast<std::uint8_t>(scale),
                 input);
  }
  expect_codes(WeightFormat::fp4, every_e2m1_pair(), 256, 252, 1);  // 6 * 2^125
}

TEST(CpuLinear, ScalesBelongToTheirRowsAndBlocks) {
  // 70 rows of 96 channels: three rows of FP8 tiles, the last one partly there.
  std::vector<std::uint8_t> fp8_scales(3 * 3);
  std::iota(fp8_scales.begin(), fp8_scales.end(), 120);
  std::vector<std::uint8_t> fp4_scales(70 * 3);
  for (std::size_t i = 0; i < fp4_scales.size(); ++i)
    fp4_scales[i] = static_cast<std::uint8_t>(115 + i * 7 % 13);
  const auto check = [](WeightFormat format, std::size_t bytes,
                        const std::vector<std::uint8_t>& scales) {
    RowCase(Linear{}, 2)
        .random("x", {96})
        .shared([&](OpFixture& f) {
          return f.coded_weight("w", format, {70, 96}, std::vector<std::uint8_t>(bytes, 0x3a),
                                scales);
        })
        .check(kLinearFp32);
  };
  check(WeightFormat::fp8, 70 * 96, fp8_scales);
  check(WeightFormat::fp4, 70 * 48, fp4_scales);
}

}  // namespace
}  // namespace deepinfer::cpu
