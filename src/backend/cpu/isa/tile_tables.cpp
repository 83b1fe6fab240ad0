#include "backend/cpu/isa/tile_tables.h"

#include <bit>

namespace deepinfer::cpu {
namespace {

constexpr std::uint16_t kInfinity = 0x7f80;
constexpr std::uint16_t kNan = 0x7fc0;
constexpr unsigned kNanScale = 255;

/// significand * 2^exponent * 2^(scale - 127). REQUIRES: significand below 2^8.
constexpr std::uint16_t bf16_of(unsigned significand, int exponent, unsigned scale) {
  if (scale == kNanScale) return kNan;
  if (significand == 0) return 0;
  const int top = std::bit_width(significand) - 1;
  const int biased = exponent + top + static_cast<int>(scale);  // the two biases of 127 cancel
  if (biased >= 255) return kInfinity;
  if (biased <= 0) return 0;
  return static_cast<std::uint16_t>(static_cast<unsigned>(biased) << 7U |
                                    ((significand << static_cast<unsigned>(7 - top)) & 0x7fU));
}

constexpr std::uint16_t e4m3(unsigned code, unsigned scale) {
  constexpr unsigned kNanCode = 0x7f;
  if (code == kNanCode) return kNan;
  const unsigned exponent = code >> 3U;
  const unsigned mantissa = code & 7U;
  return exponent == 0 ? bf16_of(mantissa, -9, scale)
                       : bf16_of(mantissa | 8U, static_cast<int>(exponent) - 10, scale);
}

constexpr std::uint16_t e2m1(unsigned code, unsigned scale) {
  const unsigned exponent = (code >> 1U) & 3U;
  const unsigned mantissa = code & 1U;
  const std::uint16_t magnitude =
      exponent == 0 ? bf16_of(mantissa, -1, scale)
                    : bf16_of(mantissa | 2U, static_cast<int>(exponent) - 2, scale);
  return static_cast<std::uint16_t>(magnitude | (code & 8U) << 12U);
}

constexpr std::array<Fp8TileTable, 256> fp8_tables() {
  std::array<Fp8TileTable, 256> tables{};
  for (unsigned scale = 0; scale < tables.size(); ++scale)
    for (unsigned code = 0; code < 128; ++code) {
      const std::uint16_t bits = e4m3(code, scale);
      tables[scale].low[code] = static_cast<std::uint8_t>(bits & 0xffU);
      tables[scale].high[code] = static_cast<std::uint8_t>(bits >> 8U);
    }
  return tables;
}

constexpr std::array<Fp4TileTable, 256> fp4_tables() {
  std::array<Fp4TileTable, 256> tables{};
  for (unsigned scale = 0; scale < tables.size(); ++scale)
    for (unsigned code = 0; code < 32; ++code) tables[scale].values[code] = e2m1(code & 15U, scale);
  return tables;
}

}  // namespace

constinit const std::array<Fp8TileTable, 256> kFp8TileTables = fp8_tables();
constinit const std::array<Fp4TileTable, 256> kFp4TileTables = fp4_tables();

}  // namespace deepinfer::cpu
