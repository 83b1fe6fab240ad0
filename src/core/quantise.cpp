#include "core/quantise.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/numeric_formats.h"

namespace deepinfer {
namespace {

constexpr std::size_t kPowerBlock = 32;  // channels per E8M0 scale
constexpr std::size_t kE4m3Block = 16;   // channels per E4M3 scale
constexpr float kInverse448 = std::bit_cast<float>(0x3b124925U);
constexpr float kInverse6 = std::bit_cast<float>(0x3e2aaaabU);

/// Largest magnitude of `values` and `floor`; an infinity saturates, a NaN stays one. On bits:
/// those of magnitudes are ordered like the magnitudes, with infinity and then NaN above all
/// numbers.
float largest_magnitude(std::span<const float> values, float floor) {
  constexpr std::uint32_t kLargestFinite = 0x7f7fffff;
  constexpr std::uint32_t kInfinity = 0x7f800000;
  auto largest = std::bit_cast<std::uint32_t>(floor);
  for (const float value : values)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7fffffffU);
  return std::bit_cast<float>(largest == kInfinity ? kLargestFinite : largest);
}

/// E8M0 code of the smallest power of two not below `value` (model specification 2.7, pow2ceil);
/// NaN gives 255, which is E8M0's NaN.
std::uint8_t power_ceiling(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t code = ((bits >> 23) & 0xff) + ((bits & 0x7fffff) != 0 ? 1 : 0);
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(code, 0xff));
}

void pack_nibbles(std::span<const float> values, float scale, std::uint8_t* codes) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const std::uint8_t low = f32_to_e2m1(values[i] / scale);
    const std::uint8_t high = f32_to_e2m1(values[i + 1] / scale);
    codes[i / 2] = static_cast<std::uint8_t>(low | (high << 4));
  }
}

void unpack_nibbles(const std::uint8_t* codes, float scale, std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); i += 2) {
    values[i] = e2m1_to_f32(codes[i / 2] & 15) * scale;
    values[i + 1] = e2m1_to_f32(codes[i / 2] >> 4) * scale;
  }
}

/// 2.7.1
void quantise_q8(std::span<const float> values, std::uint8_t* codes, std::uint8_t* scales) {
  constexpr float kFloor = 1e-4F;
  for (std::size_t begin = 0; begin < values.size(); begin += kPowerBlock) {
    const auto block = values.subspan(begin, kPowerBlock);
    const std::uint8_t code = power_ceiling(largest_magnitude(block, kFloor) * kInverse448);
    const float scale = e8m0_to_f32(code);
    scales[begin / kPowerBlock] = code;
    for (std::size_t i = 0; i < block.size(); ++i) codes[begin + i] = f32_to_e4m3(block[i] / scale);
  }
}

/// 2.7.2
void quantise_q4u(std::span<const float> values, std::uint8_t* codes, std::uint8_t* scales) {
  constexpr float kFloor = 6 * 0x1p-126F;
  for (std::size_t begin = 0; begin < values.size(); begin += kPowerBlock) {
    const auto block = values.subspan(begin, kPowerBlock);
    const std::uint8_t code = power_ceiling(largest_magnitude(block, kFloor) * kInverse6);
    scales[begin / kPowerBlock] = code;
    pack_nibbles(block, e8m0_to_f32(code), codes + begin / 2);
  }
}

/// 2.7.3
void quantise_q4e(std::span<const float> values, std::uint8_t* codes, std::uint8_t* scales) {
  constexpr float kFloor = 6 * 0x1p-9F;  // the smallest scale is E4M3's smallest subnormal
  for (std::size_t begin = 0; begin < values.size(); begin += kE4m3Block) {
    const auto block = values.subspan(begin, kE4m3Block);
    const std::uint8_t code = f32_to_e4m3(largest_magnitude(block, kFloor) / 6.0F);
    scales[begin / kE4m3Block] = code;
    pack_nibbles(block, e4m3_to_f32(code), codes + begin / 2);
  }
}

}  // namespace

std::string_view name_of(Quantiser quantiser) {
  switch (quantiser) {
    case Quantiser::q8:
      return "q8";
    case Quantiser::q4u:
      return "q4u";
    case Quantiser::q4e:
      return "q4e";
  }
  return "?";
}

void quantise(Quantiser quantiser, std::span<const float> values, std::uint8_t* record) {
  switch (quantiser) {
    case Quantiser::q8:
      return quantise_q8(values, record, record + values.size());
    case Quantiser::q4u:
      return quantise_q4u(values, record, record + values.size() / 2);
    case Quantiser::q4e:
      return quantise_q4e(values, record, record + values.size() / 2);
  }
}

void dequantise(Quantiser quantiser, const std::uint8_t* record, std::span<float> values) {
  if (quantiser == Quantiser::q8) {
    const std::uint8_t* scales = record + values.size();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = e4m3_to_f32(record[i]) * e8m0_to_f32(scales[i / kPowerBlock]);
    return;
  }
  const bool power = quantiser == Quantiser::q4u;
  const std::size_t block = power ? kPowerBlock : kE4m3Block;
  const std::uint8_t* scales = record + values.size() / 2;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    const std::uint8_t code = scales[begin / block];
    unpack_nibbles(record + begin / 2, power ? e8m0_to_f32(code) : e4m3_to_f32(code),
                   values.subspan(begin, block));
  }
}

void fake_quantise(Quantiser quantiser, std::span<float> values) {
  // One block at a time, so that the record fits on the stack.
  std::array<std::uint8_t, 2 * kPowerBlock> record{};
  for (std::size_t begin = 0; begin < values.size(); begin += kPowerBlock) {
    const auto block = values.subspan(begin, kPowerBlock);
    quantise(quantiser, block, record.data());
    dequantise(quantiser, record.data(), block);
  }
}

}  // namespace deepinfer
