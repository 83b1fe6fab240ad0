#include "core/numeric_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/test_bits_test.h"

namespace deepinfer {
namespace {

constexpr std::size_t kMany = std::size_t{1} << 17;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Checks `encode` around the midpoint of every two neighbouring magnitudes: the tie goes to the
/// even code, one ulp to either side goes to the nearer one; all with both signs.
template <typename Decode, typename Encode>
void check_rounding(int codes, int sign_bit, Decode decode, Encode encode) {
  for (int code = 0; code + 1 < codes; ++code) {
    const float low = decode(static_cast<std::uint8_t>(code));
    const float high = decode(static_cast<std::uint8_t>(code + 1));
    const float middle = (low + high) / 2;  // exact: one more mantissa bit
    const int even = code % 2 == 0 ? code : code + 1;
    EXPECT_EQ(encode(middle), even);
    EXPECT_EQ(encode(-middle), even | sign_bit);
    EXPECT_EQ(encode(std::nextafter(middle, 0.0F)), code);
    EXPECT_EQ(encode(std::nextafter(middle, kInfinity)), code + 1);
    EXPECT_EQ(encode(-std::nextafter(middle, kInfinity)), (code + 1) | sign_bit);
    EXPECT_EQ(encode(std::nextafter(low, kInfinity)), code);
    EXPECT_EQ(encode(std::nextafter(high, 0.0F)), code + 1);
  }
}

TEST(NumericFormats, every_bf16_code_survives_a_round_trip) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const float value = bf16_to_f32(static_cast<std::uint16_t>(code));
    EXPECT_EQ(bits_of(value), code << 16);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(round_bf16(value)));
    } else {
      EXPECT_EQ(f32_to_bf16(value), code);
      EXPECT_EQ(bits_of(round_bf16(value)), code << 16);
    }
  }
}

TEST(NumericFormats, bf16_rounds_to_nearest_even) {
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808000U)), 0x3f80);  // tie, even stays
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f818000U)), 0x3f82);  // tie, odd goes up
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f807fffU)), 0x3f80);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x00008000U)), 0);       // subnormal tie to zero
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x80018000U)), 0x8002);  // subnormal tie, negative
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);  // overflow to infinity
  EXPECT_EQ(f32_to_bf16(-kInfinity), 0xff80);
  EXPECT_TRUE(std::isnan(round_bf16(kNan)));
  EXPECT_TRUE(std::isnan(round_bf16(std::bit_cast<float>(0x7f800001U))));  // payload in low bits
  EXPECT_TRUE(std::isnan(round_bf16(std::bit_cast<float>(0xffffffffU))));
}

TEST(NumericFormats, bf16_matches_the_reference_on_many_values) {
  std::vector<std::uint8_t> codes;
  for (const float value : wild_values(kMany)) {
    const std::uint16_t code = f32_to_bf16(value);
    codes.push_back(static_cast<std::uint8_t>(code & 0xff));
    codes.push_back(static_cast<std::uint8_t>(code >> 8));
  }
  EXPECT_EQ(digest(codes), 0xd4b1d4a811911335U);
}

TEST(NumericFormats, every_f16_code_has_its_value) {
  for (int code = 0; code < 0x10000; ++code) {
    const int exponent = (code >> 10) & 31;
    const int mantissa = code & 0x3ff;
    const float value = f16_to_f32(static_cast<std::uint16_t>(code));
    EXPECT_EQ(std::signbit(value), (code & 0x8000) != 0);
    const float magnitude = std::fabs(value);
    if (exponent == 31) {
      EXPECT_TRUE(mantissa == 0 ? std::isinf(value) : std::isnan(value));
    } else if (exponent == 0) {
      EXPECT_EQ(magnitude, std::ldexp(static_cast<float>(mantissa), -24));
    } else {
      EXPECT_EQ(magnitude, std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25));
    }
  }
}

TEST(NumericFormats, every_e4m3_code_has_its_value_and_survives_a_round_trip) {
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const float value = e4m3_to_f32(byte);
    EXPECT_EQ(bits_of(value), bits_of(e4m3_table()[code]));
    EXPECT_EQ(std::signbit(value), code >= 128);
    EXPECT_EQ(f32_to_e4m3(value), code);
    const int exponent = (code >> 3) & 15;
    const int mantissa = code & 7;
    if ((code & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(value));
    } else if (exponent == 0) {
      EXPECT_EQ(std::fabs(value), std::ldexp(static_cast<float>(mantissa), -9));
    } else {
      EXPECT_EQ(std::fabs(value), std::ldexp(static_cast<float>(8 + mantissa), exponent - 10));
    }
  }
  EXPECT_EQ(e4m3_to_f32(0x7e), 448.0F);
}

TEST(NumericFormats, e4m3_rounds_to_nearest_even) {
  check_rounding(127, 0x80, e4m3_to_f32, f32_to_e4m3);
}

TEST(NumericFormats, e4m3_saturates_and_keeps_signs) {
  for (const float value : {448.1F, 464.0F, 480.0F, 1e30F, std::numeric_limits<float>::max()}) {
    EXPECT_EQ(f32_to_e4m3(value), 0x7e);
    EXPECT_EQ(f32_to_e4m3(-value), 0xfe);
  }
  EXPECT_EQ(f32_to_e4m3(kInfinity), 0x7e);
  EXPECT_EQ(f32_to_e4m3(-kInfinity), 0xfe);
  EXPECT_EQ(f32_to_e4m3(0.0F), 0);
  EXPECT_EQ(f32_to_e4m3(-0.0F), 0x80);
  EXPECT_EQ(f32_to_e4m3(-1e-30F), 0x80);
  EXPECT_EQ(f32_to_e4m3(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(f32_to_e4m3(std::copysign(kNan, 1.0F)), 0x7f);
  EXPECT_EQ(f32_to_e4m3(std::copysign(kNan, -1.0F)), 0xff);
}

TEST(NumericFormats, e4m3_matches_the_reference_on_many_values) {
  std::vector<std::uint8_t> codes;
  for (const float value : moderate_values(kMany)) codes.push_back(f32_to_e4m3(value));
  EXPECT_EQ(digest(codes), 0x9b4ce32192538361U);
}

TEST(NumericFormats, every_e8m0_code_has_its_value) {
  for (int code = 0; code < 255; ++code)
    EXPECT_EQ(e8m0_to_f32(static_cast<std::uint8_t>(code)), std::ldexp(1.0F, code - 127)) << code;
  EXPECT_GT(e8m0_to_f32(0), 0.0F);  // a subnormal, not flushed
  EXPECT_TRUE(std::isnan(e8m0_to_f32(255)));
}

TEST(NumericFormats, every_e2m1_code_has_its_value_and_survives_a_round_trip) {
  constexpr float kMagnitudes[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (int code = 0; code < 16; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const float value = e2m1_to_f32(byte);
    EXPECT_EQ(std::fabs(value), kMagnitudes[code & 7]);
    EXPECT_EQ(std::signbit(value), code >= 8);
    EXPECT_EQ(f32_to_e2m1(value), code);
    EXPECT_EQ(bits_of(e2m1_to_f32(byte | 0xf0)), bits_of(value));  // upper bits do not matter
  }
}

TEST(NumericFormats, e2m1_rounds_to_nearest_even) {
  check_rounding(8, 8, e2m1_to_f32, f32_to_e2m1);
  for (const float tie : {0.25F, 1.25F, 2.5F, 5.0F})  // model specification 2.7.4: these go down
    EXPECT_LT(e2m1_to_f32(f32_to_e2m1(tie)), tie);
  for (const float tie : {0.75F, 1.75F, 3.5F}) EXPECT_GT(e2m1_to_f32(f32_to_e2m1(tie)), tie);
}

TEST(NumericFormats, e2m1_saturates_and_keeps_signs) {
  for (const float value : {6.1F, 7.0F, 1e30F, kInfinity, std::copysign(kNan, 1.0F)}) {
    EXPECT_EQ(f32_to_e2m1(value), 7);
    EXPECT_EQ(f32_to_e2m1(-value), 15);
  }
  EXPECT_EQ(f32_to_e2m1(-0.0F), 8);
  EXPECT_EQ(f32_to_e2m1(-0.1F), 8);
}

TEST(NumericFormats, e2m1_matches_the_reference_on_many_values) {
  std::vector<std::uint8_t> codes;
  for (const float value : moderate_values(kMany)) codes.push_back(f32_to_e2m1(value));
  EXPECT_EQ(digest(codes), 0x85881d16562860dcU);
}

}  // namespace
}  // namespace deepinfer
