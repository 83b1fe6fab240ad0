#include "backend/cpu/isa/tile_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/numeric_formats.h"

namespace deepinfer::cpu {
namespace {

/// What a table must say of a product: a matrix unit knows no subnormal numbers.
float tile_value(float exact) {
  return std::abs(exact) < std::numeric_limits<float>::min() ? std::copysign(0.0F, exact) : exact;
}

TEST(TileTables, Fp8MagnitudesTimesEveryScale) {
  for (unsigned scale = 0; scale < 256; ++scale)
    for (unsigned code = 0; code < 128; ++code) {
      const Fp8TileTable& table = kFp8TileTables[scale];
      const float value =
          bf16_to_f32(static_cast<std::uint16_t>(table.low[code] | table.high[code] << 8U));
      const float exact = e4m3_to_f32(static_cast<std::uint8_t>(code)) *
                          e8m0_to_f32(static_cast<std::uint8_t>(scale));
      if (std::isnan(exact))
        EXPECT_TRUE(std::isnan(value)) << code << " at " << scale;
      else
        EXPECT_EQ(value, tile_value(exact)) << code << " at " << scale;
    }
}

TEST(TileTables, Fp4ValuesTimesEveryScaleWhateverTheFifthBit) {
  for (unsigned scale = 0; scale < 256; ++scale)
    for (unsigned code = 0; code < 32; ++code) {
      const std::uint16_t bits = kFp4TileTables[scale].values[code];
      const float exact = e2m1_to_f32(static_cast<std::uint8_t>(code & 15U)) *
                          e8m0_to_f32(static_cast<std::uint8_t>(scale));
      if (std::isnan(exact))
        EXPECT_TRUE(std::isnan(bf16_to_f32(bits))) << code << " at " << scale;
      else
        EXPECT_EQ(bits, f32_to_bf16(tile_value(exact))) << code << " at " << scale;
    }
}

}  // namespace
}  // namespace deepinfer::cpu
