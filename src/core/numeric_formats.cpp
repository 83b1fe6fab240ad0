#include "core/numeric_formats.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace deepinfer {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Value of an E4M3 magnitude (bit 7 clear).
constexpr float e4m3_magnitude(unsigned code) {
  const unsigned exponent = code >> 3;
  const unsigned mantissa = code & 7;
  if (code == 0x7f) return kNan;
  if (exponent == 0) return static_cast<float>(mantissa) * 0x1p-9F;        // m/8 * 2^-6
  const std::uint32_t bits = ((exponent + 120) << 23) | (mantissa << 20);  // bias 7 to bias 127
  return std::bit_cast<float>(bits);
}

constexpr std::array<float, 256> make_e4m3_table() {
  std::array<float, 256> table{};
  for (unsigned code = 0; code < 256; ++code) {
    const float magnitude = e4m3_magnitude(code & 0x7f);
    table[code] = (code & 0x80) != 0 ? -magnitude : magnitude;
  }
  return table;
}

constexpr std::array<float, 256> kE4m3 = make_e4m3_table();
constexpr std::array<float, 16> kE2m1 = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                         -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};

}  // namespace

float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);  // stays a NaN
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float round_bf16(float value) { return bf16_to_f32(f32_to_bf16(value)); }

float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + 112;  // bias 15 to bias 127
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

float e4m3_to_f32(std::uint8_t code) { return kE4m3[code]; }

const float* e4m3_table() { return kE4m3.data(); }

std::uint8_t f32_to_e4m3(float value) {
  const auto sign = static_cast<std::uint8_t>((std::bit_cast<std::uint32_t>(value) >> 24) & 0x80);
  if (std::isnan(value)) return sign | 0x7f;
  const float magnitude = std::fabs(value);
  if (magnitude >= 448.0F) return sign | 0x7e;
  if (magnitude < 0x1p-6F)  // subnormal codes: whole multiples of 2^-9; 8 is the first normal code
    return sign | static_cast<std::uint8_t>(std::nearbyint(magnitude * 0x1p9F));
  // Keep three mantissa bits with ties to even; a carry moves into the exponent by itself.
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  const std::uint32_t rounded = bits + 0x7ffff + ((bits >> 20) & 1);
  const std::uint32_t code = (rounded >> 20) - (120U << 3);
  return sign | static_cast<std::uint8_t>(code > 0x7e ? 0x7e : code);
}

float e8m0_to_f32(std::uint8_t code) {
  if (code == 0xff) return kNan;
  if (code == 0) return 0x1p-127F;
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 23);
}

float e2m1_to_f32(std::uint8_t code) { return kE2m1[code & 15]; }

std::uint8_t f32_to_e2m1(float value) {
  const auto sign = static_cast<std::uint8_t>((std::bit_cast<std::uint32_t>(value) >> 28) & 8);
  const float magnitude = std::fabs(value);
  // Midpoints between codes; a tie goes to the even code: down at 0.25, 1.25, 2.5, 5, up at the
  // others (model specification 2.7.4). NaN falls through to the largest code.
  if (magnitude <= 0.25F) return sign;
  if (magnitude < 0.75F) return sign | 1;
  if (magnitude <= 1.25F) return sign | 2;
  if (magnitude < 1.75F) return sign | 3;
  if (magnitude <= 2.5F) return sign | 4;
  if (magnitude < 3.5F) return sign | 5;
  if (magnitude <= 5.0F) return sign | 6;
  return sign | 7;
}

}  // namespace deepinfer
