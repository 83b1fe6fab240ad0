#include "backend/cpu/q8_values.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "core/quantise.h"

namespace deepinfer::cpu {
namespace {

using Block = std::array<float, 32>;

void expect_as_core(const Block& values, const std::string& what) {
  Block expected = values;
  fake_quantise(Quantiser::q8, expected);
  Block got = values;
  fake_quantise_q8_block(got.data());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(got[i], expected[i]) << what << ", value " << values[i];
}

TEST(Q8Values, AreThoseOfTheCoreQuantiserAtEveryMagnitude) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int exponent = -140; exponent <= 126; ++exponent)
    for (int round = 0; round < 20; ++round) {
      Block values{};
      for (float& value : values) value = std::ldexp(normal(random), exponent);
      expect_as_core(values, "exponent " + std::to_string(exponent));
    }
}

TEST(Q8Values, RoundTiesToEvenAndKeepSubnormals) {
  // 448 makes the scale 1, so that values are their own codes' values; every tie of two neighbours.
  for (int step = 0; step < 256; ++step) {
    Block values{};
    values[0] = 448;
    for (int i = 1; i < 32; ++i)
      values[static_cast<std::size_t>(i)] =
          std::ldexp(static_cast<float>(step * (i % 2 == 0 ? 1 : -1)), i - 14);
    expect_as_core(values, "step " + std::to_string(step));
  }
}

TEST(Q8Values, SaturateAtInfinity) {
  Block values{};
  values[3] = std::numeric_limits<float>::infinity();
  values[4] = -std::numeric_limits<float>::infinity();
  values[5] = std::numeric_limits<float>::max();
  expect_as_core(values, "infinity");
  expect_as_core({}, "zero");
}

TEST(Q8Values, NanTakesItsWholeBlock) {
  Block values{};
  values[7] = 3;
  values[20] = -std::numeric_limits<float>::quiet_NaN();
  fake_quantise_q8_block(values.data());
  for (const float value : values) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace deepinfer::cpu
