#pragma once

// Unpacking checkpoint weights into rows of a weight tile: a block of 32 channels becomes 32 bf16
// values, 64 bytes. Included by amx.cpp only: needs AVX-512 BW, VL and VBMI.
//
// Each format is a struct of
//   kBlockBytes, kScaleRows        as in weight_formats.h
//   row(codes, scale, to)          one row's block
//   tile(from, to)                 the blocks of 16 rows; the rows share their scale if kScaleRows
//                                  is above 1

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "backend/cpu/isa/tile_tables.h"

namespace deepinfer::cpu {
namespace {

inline constexpr std::int64_t kTileRows = 16;
inline constexpr std::int64_t kTileRowBytes = 64;

/// A block of channels of 16 weight rows, where it lies.
struct CodedTile {
  const std::uint8_t* codes;  ///< of the first row
  std::int64_t row_bytes;
  const std::uint8_t* scales;  ///< of the first row
  std::int64_t scale_stride;   ///< to the next row's
};

/// E4M3: 64 codes are looked up at once, those of two rows; channels in the order of
/// TileFunctions::pack_fp8.
struct Fp8Tile {
  static constexpr int kBlockBytes = 32;
  static constexpr int kScaleRows = 32;

  static void row(const std::uint8_t* codes, std::uint8_t scale, std::uint8_t* to) {
    const Words words = Lookup(kFp8TileTables[scale])(codes, codes);
    store(to, _mm512_castsi512_si256(words.even), _mm512_castsi512_si256(words.odd));
  }

  static void tile(const CodedTile& from, std::uint8_t* to) {
    const Lookup look_up(kFp8TileTables[*from.scales]);
    const std::uint8_t* codes = from.codes;
#pragma GCC unroll 8
    for (int pair = 0; pair < kTileRows / 2; ++pair) {
      const Words words = look_up(codes, codes + from.row_bytes);
      store(to, _mm512_castsi512_si256(words.even), _mm512_castsi512_si256(words.odd));
      store(to + kTileRowBytes, _mm512_extracti64x4_epi64(words.even, 1),
            _mm512_extracti64x4_epi64(words.odd, 1));
      codes += 2 * from.row_bytes;
      to += 2 * kTileRowBytes;
    }
  }

 private:
  /// The values of even and odd channels; the first row in the lower half.
  struct Words {
    __m512i even;
    __m512i odd;
  };

  class Lookup {
   public:
    explicit Lookup(const Fp8TileTable& table)
        : low_{_mm512_load_si512(table.low.data()), _mm512_load_si512(table.low.data() + 64)},
          high_{_mm512_load_si512(table.high.data()), _mm512_load_si512(table.high.data() + 64)} {}

    Words operator()(const std::uint8_t* first, const std::uint8_t* second) const {
      const __m512i codes = _mm512_inserti64x4(
          _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(first))),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second)), 1);
      // The permutation looks at seven bits; the eighth is the sign.
      const __m512i low = _mm512_permutex2var_epi8(low_[0], codes, low_[1]);
      const __m512i magnitude = _mm512_permutex2var_epi8(high_[0], codes, high_[1]);
      constexpr int kOrAnd = 0xf8;  // a | (b & c)
      constexpr int kAndOr = 0xea;  // (a & b) | c
      const __m512i high =
          _mm512_ternarylogic_epi32(magnitude, codes, _mm512_set1_epi8(-128), kOrAnd);
      return {_mm512_ternarylogic_epi32(low, _mm512_set1_epi16(0xff), _mm512_slli_epi16(high, 8),
                                        kAndOr),
              _mm512_ternarylogic_epi32(high, _mm512_set1_epi16(static_cast<short>(0xff00)),
                                        _mm512_srli_epi16(low, 8), kAndOr)};
    }

   private:
    __m512i low_[2];
    __m512i high_[2];
  };

  static void store(std::uint8_t* to, __m256i even, __m256i odd) {
    auto* halves = reinterpret_cast<__m256i*>(to);
    _mm256_store_si256(halves, even);
    _mm256_store_si256(halves + 1, odd);
  }
};

/// E2M1, the even channel in the low nibble. A row's 16 bytes are eight words of four nibbles:
/// their first nibbles come first, then their second ones, and so on (TileFunctions::pack_fp4).
struct Fp4Tile {
  static constexpr int kBlockBytes = 16;
  static constexpr int kScaleRows = 1;

  static void row(const std::uint8_t* codes, std::uint8_t scale, std::uint8_t* to) {
    const __m512i words =
        _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
    constexpr std::int64_t kNibble = 0x0004000400040004;
    const __m512i shifts = _mm512_setr_epi64(0, 0, kNibble, kNibble, 2 * kNibble, 2 * kNibble,
                                             3 * kNibble, 3 * kNibble);
    // The permutation looks at five bits, of which the table does not care for the fifth.
    const __m512i table = _mm512_load_si512(kFp4TileTables[scale].values.data());
    _mm512_store_si512(to, _mm512_permutexvar_epi16(_mm512_srlv_epi16(words, shifts), table));
  }

  static void tile(const CodedTile& from, std::uint8_t* to) {
#pragma GCC unroll 16
    for (int r = 0; r < kTileRows; ++r)
      row(from.codes + r * from.row_bytes, from.scales[r * from.scale_stride],
          to + r * kTileRowBytes);
  }
};

struct Bf16Tile {
  static constexpr int kBlockBytes = 64;
  static constexpr int kScaleRows = 0;

  static void row(const std::uint8_t* codes, std::uint8_t /*scale*/, std::uint8_t* to) {
    _mm512_store_si512(to, _mm512_loadu_si512(codes));
  }

  static void tile(const CodedTile& from, std::uint8_t* to) {
#pragma GCC unroll 16
    for (int r = 0; r < kTileRows; ++r)
      row(from.codes + r * from.row_bytes, 0, to + r * kTileRowBytes);
  }
};

}  // namespace
}  // namespace deepinfer::cpu
