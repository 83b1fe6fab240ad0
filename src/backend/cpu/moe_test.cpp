#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "backend/cpu/row_case_test.h"

namespace deepinfer::cpu {
namespace {

struct MoeShape {
  std::int64_t hidden = 64;
  std::int64_t inner = 96;
  std::int64_t experts = 7;
  std::int64_t choices = 2;
  int rows = 6;
  WeightFormat routed = WeightFormat::fp4;
  WeightFormat shared = WeightFormat::fp8;
};

/// `choices` different experts per row, every third row padding if asked.
RowCase moe_case(const Moe& op, const MoeShape& shape, bool padding = true) {
  std::mt19937 random(5);
  std::vector<std::int32_t> chosen;
  std::vector<float> weights;
  std::vector<std::int32_t> positions;
  std::vector<std::int32_t> experts(static_cast<std::size_t>(shape.experts));
  std::iota(experts.begin(), experts.end(), 0);
  for (int row = 0; row < shape.rows; ++row) {
    std::shuffle(experts.begin(), experts.end(), random);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.choices); ++i) {
      chosen.push_back(experts[i]);
      weights.push_back(0.25F + static_cast<float>(i) * 0.3F);
    }
    positions.push_back(padding && row % 3 == 1 ? -1 : row);
  }
  const auto bank = [shape](const char* name, std::int64_t out, std::int64_t in) {
    return [=](OpFixture& f) { return f.weight(name, shape.routed, {shape.experts, out, in}); };
  };
  const auto single = [shape](const char* name, std::int64_t out, std::int64_t in) {
    return [=](OpFixture& f) { return f.weight(name, shape.shared, {out, in}); };
  };
  RowCase test(op, shape.rows);
  test.random("x", {shape.hidden}, 3)
      .ints("experts", {shape.choices}, chosen)
      .floats("weights", {shape.choices}, weights)
      .ints("positions", {}, positions)
      .shared(bank("w1", shape.inner, shape.hidden))
      .shared(bank("w3", shape.inner, shape.hidden))
      .shared(bank("w2", shape.hidden, shape.inner))
      .shared(single("shared_w1", shape.inner, shape.hidden))
      .shared(single("shared_w3", shape.inner, shape.hidden))
      .shared(single("shared_w2", shape.hidden, shape.inner));
  return test;
}

const Moe kOfficial = {.swiglu_limit = 2, .quantise_input = true, .rounding = Rounding::bf16};
const Moe kPlainNumbers = {.swiglu_limit = 2};

// In fp32 only the order of sums differs; a value that falls on the other side of a bf16 rounding
// can then take another FP8 code in w2's input, an eighth of it away.
constexpr double kMoeFp32 = 1e-5;
constexpr double kOfficialTolerance = 1.0 / 64;

TEST(CpuMoe, AgreesWithTheReference) {
  moe_case(kPlainNumbers, {}).check(kMoeFp32);
  moe_case(kOfficial, {}).check(kOfficialTolerance);
}

TEST(CpuMoe, RunsOverAnyFormats) {
  moe_case(kPlainNumbers, {.rows = 3, .routed = WeightFormat::fp8, .shared = WeightFormat::fp4})
      .check(kMoeFp32);
  moe_case(kPlainNumbers, {.rows = 3, .routed = WeightFormat::plain, .shared = WeightFormat::plain})
      .check(kMoeFp32);
}

TEST(CpuMoe, LimitIsOptional) {
  moe_case({.swiglu_limit = 0}, {}).check(kMoeFp32);
  moe_case({.swiglu_limit = 0.1F}, {}).check(kMoeFp32);
}

TEST(CpuMoe, ExtentsNeedNotBeWholeBlocks) {
  moe_case(kPlainNumbers, {.hidden = 38, .inner = 70, .experts = 3}).check(kMoeFp32);
  moe_case(kPlainNumbers, {.hidden = 2, .inner = 2, .experts = 1, .choices = 1, .rows = 1})
      .check(kMoeFp32);
}

TEST(CpuMoe, ManyRowsAtOneExpert) {
  moe_case(kPlainNumbers, {.experts = 2, .choices = 2, .rows = 19}, false).check(kMoeFp32);
}

TEST(CpuMoe, LargeLayersAreSharedAmongThreads) {
  moe_case(kPlainNumbers, {.hidden = 128, .inner = 160, .experts = 8, .choices = 3, .rows = 5})
      .check(kMoeFp32);
  moe_case(kOfficial, {.hidden = 128, .inner = 160, .experts = 8, .choices = 3, .rows = 5})
      .check(kOfficialTolerance);
}

TEST(CpuMoe, ExpertsThatNobodyChoseAreNotRead) {
  // Their scales are NaN, and so would be whatever they touch.
  const std::int64_t hidden = 64;
  const std::int64_t inner = 32;
  const auto bank = [](const char* name, std::int64_t out, std::int64_t in) {
    return [=](OpFixture& f) {
      const auto per_expert = static_cast<std::size_t>(out * in / 32);
      std::vector<std::uint8_t> scales(3 * per_expert, 255);
      std::fill_n(scales.begin() + static_cast<std::ptrdiff_t>(per_expert), per_expert, 120);
      return f.coded_weight(
          name, WeightFormat::fp4, {3, out, in},
          std::vector<std::uint8_t>(static_cast<std::size_t>(3 * out * in / 2), 0x27), scales);
    };
  };
  const auto single = [](const char* name, std::int64_t out, std::int64_t in) {
    return [=](OpFixture& f) { return f.weight(name, WeightFormat::fp8, {out, in}); };
  };
  RowCase(kPlainNumbers, 2)
      .random("x", {hidden})
      .ints("experts", {1}, {1, 2})
      .floats("weights", {1}, {1.0F, 1.0F})
      .ints("positions", {}, {4, -1})  // the row that chose expert 2 is padding
      .shared(bank("w1", inner, hidden))
      .shared(bank("w3", inner, hidden))
      .shared(bank("w2", hidden, inner))
      .shared(single("shared_w1", inner, hidden))
      .shared(single("shared_w3", inner, hidden))
      .shared(single("shared_w2", hidden, inner))
      .check(kMoeFp32);
}

}  // namespace
}  // namespace deepinfer::cpu
