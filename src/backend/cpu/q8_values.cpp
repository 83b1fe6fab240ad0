#include "backend/cpu/q8_values.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace deepinfer::cpu {
namespace {

constexpr int kBlock = 32;
constexpr std::int32_t kMantissaBits = 23;
constexpr std::int32_t kExponentMask = 0x7f800000;
constexpr std::int32_t kMagnitudeMask = 0x7fffffff;
constexpr std::int32_t kLargestFinite = 0x7f7fffff;

/// 2^(code - 127)
float power_of_two(std::int32_t code) { return std::bit_cast<float>(code << kMantissaBits); }

/// E8M0 code of the block's scale; of a block with a NaN 255, which is E8M0's NaN.
std::int32_t scale_code(const float* values) {
  constexpr float kFloor = 1e-4F;
  constexpr auto kInverse448 = std::bit_cast<float>(0x3b124925U);
  // Magnitudes of floats are ordered as their bits; an infinity counts as the largest number.
  auto largest = std::bit_cast<std::int32_t>(kFloor);
  for (int i = 0; i < kBlock; ++i)
    largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & kMagnitudeMask);
  if (largest > kExponentMask) return 255;
  const float ratio = kInverse448 * std::bit_cast<float>(std::min(largest, kLargestFinite));
  const auto bits = std::bit_cast<std::int32_t>(ratio);
  return (bits >> kMantissaBits) + ((bits & 0x7fffff) != 0 ? 1 : 0);
}

}  // namespace

void fake_quantise_q8_block(float* values) {
  constexpr float kLargest = 448;                                         // of E4M3
  constexpr std::int32_t kSmallestExponent = (127 - 6) << kMantissaBits;  // below: subnormal
  // 1.5 * 2^20 times the power of two below a value: adding it leaves three bits of mantissa.
  constexpr std::uint32_t kMagic = (20U << kMantissaBits) + (1U << (kMantissaBits - 1));

  const std::int32_t code = scale_code(values);
  const float scale = code == 255 ? std::numeric_limits<float>::quiet_NaN() : power_of_two(code);
  const float inverse = power_of_two(254 - code);
  for (int i = 0; i < kBlock; ++i) {
    float y = values[i] * inverse;
    y = y > kLargest ? kLargest : y;
    y = y < -kLargest ? -kLargest : y;
    const std::int32_t exponent = std::bit_cast<std::int32_t>(y) & kExponentMask;
    const auto magic = std::bit_cast<float>(
        static_cast<std::uint32_t>(std::max(exponent, kSmallestExponent)) + kMagic);
    values[i] = ((y + magic) - magic) * scale;
  }
}

}  // namespace deepinfer::cpu
