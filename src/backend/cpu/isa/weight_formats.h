#pragma once

// Unpacking a block of 32 weights of each checkpoint format into two vectors. Included by the files
// of isa/, once per instruction set.
//
// Each format is a struct of
//   kBlockBytes            bytes of a block
//   kScaleRows             weight rows that share a row of scales; 0: no scales
//   kFactor                what a dot product of unpacked weights is multiplied by at its end
//   unpack(block, scale)   the weights, times the scale, over kFactor
// All conversions are exact.

#include <cstddef>

#include "backend/cpu/isa/lanes16.h"
#include "core/numeric_formats.h"

namespace deepinfer::cpu {
namespace {

/// 32 weights, in the order of the prepared inputs.
struct WeightPair {
  Lanes16 first;
  Lanes16 second;
};

inline std::uint16_t read_u16(const std::uint8_t* p) {
  std::uint16_t value = 0;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

/// E4M3. A code shifted to where an fp16 has its exponent and mantissa is that value over 2^8 (bias
/// 7 for 15), subnormals included, and the machine widens fp16 at no cost for subnormals.
struct Fp8 {
  static constexpr int kBlockBytes = 32;
  static constexpr int kScaleRows = 32;
  static constexpr float kFactor = 0x1p8F;

  static WeightPair unpack(const std::uint8_t* block, float scale) {
    const Lanes16 factor = Lanes16::broadcast(scale);
#if defined(__AVX512F__)
    const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m512i halves = _mm512_and_si512(_mm512_slli_epi16(_mm512_cvtepi8_epi16(codes), 7),
                                            _mm512_set1_epi16(static_cast<short>(0xbfff)));
    const Lanes16 first{_mm512_cvtph_ps(_mm512_castsi512_si256(halves))};
    const Lanes16 second{_mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1))};
    return {Lanes16::mul(first, factor), Lanes16::mul(second, factor)};
#elif defined(__AVX2__)
    return {Lanes16::mul(sixteen(block), factor), Lanes16::mul(sixteen(block + 16), factor)};
#else
    const Lanes16 shift = Lanes16::broadcast(kE4m3Shift / kFactor);
    return {Lanes16::mul(Lanes16::mul(Lanes16::load_e4m3(block), shift), factor),
            Lanes16::mul(Lanes16::mul(Lanes16::load_e4m3(block + 16), shift), factor)};
#endif
  }

#if defined(__AVX2__) && !defined(__AVX512F__)
 private:
  static Lanes16 sixteen(const std::uint8_t* p) {
    const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m256i halves = _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(codes), 7),
                                            _mm256_set1_epi16(static_cast<short>(0xbfff)));
    return {_mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
            _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1))};
  }
#endif
};

/// E2M1 pairs. The first vector holds the even channels, the second the odd ones, as the nibbles
/// lie; prepared inputs have the same order.
struct Fp4 {
  static constexpr int kBlockBytes = 16;
  static constexpr int kScaleRows = 1;
  static constexpr float kFactor = 1;

  static WeightPair unpack(const std::uint8_t* block, float scale) {
#if defined(__AVX512F__)
    // The scale goes into the table: 16 products instead of 32. A permutation looks at the low four
    // bits of a lane only.
    const __m512 values = _mm512_setr_ps(0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -0.0F,
                                         -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F);
    const __m512 table = _mm512_mul_ps(values, _mm512_set1_ps(scale));
    const __m512i codes =
        _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block)));
    return {{_mm512_permutexvar_ps(codes, table)},
            {_mm512_permutexvar_ps(_mm512_srli_epi32(codes, 4), table)}};
#elif defined(__AVX2__)
    const __m256 values = _mm256_setr_ps(0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F);
    const __m256 table = _mm256_mul_ps(values, _mm256_set1_ps(scale));
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
    const __m256i low = _mm256_cvtepu8_epi32(bytes);
    const __m256i high = _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8));
    return {{nibble(low, table), nibble(high, table)},
            {nibble(_mm256_srli_epi32(low, 4), table), nibble(_mm256_srli_epi32(high, 4), table)}};
#else
    return {Lanes16::each([=](int i) { return Lanes16::e2m1(block[i] & 15U) * scale; }),
            Lanes16::each([=](int i) { return Lanes16::e2m1(block[i] >> 4U) * scale; })};
#endif
  }

#if defined(__AVX2__) && !defined(__AVX512F__)
 private:
  /// By the low four bits of every lane: three choose the magnitude, the fourth is the sign.
  static __m256 nibble(__m256i codes, __m256 table) {
    const __m256i sign = _mm256_and_si256(_mm256_slli_epi32(codes, 28),
                                          _mm256_set1_epi32(static_cast<int>(0x80000000U)));
    return _mm256_xor_ps(_mm256_permutevar8x32_ps(table, codes), _mm256_castsi256_ps(sign));
  }
#endif
};

struct Bf16 {
  static constexpr int kBlockBytes = 64;
  static constexpr int kScaleRows = 0;
  static constexpr float kFactor = 1;

  static WeightPair unpack(const std::uint8_t* block, float /*scale*/) {
    return {sixteen(block), sixteen(block + 32)};
  }

 private:
  static Lanes16 sixteen(const std::uint8_t* p) {
#if defined(__AVX512F__)
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
#elif defined(__AVX2__)
    const auto* halves = reinterpret_cast<const __m128i*>(p);
    return {eight(_mm_loadu_si128(halves)), eight(_mm_loadu_si128(halves + 1))};
#else
    return Lanes16::each([=](int i) {
      return Lanes16::value_of(std::uint32_t{read_u16(p + std::ptrdiff_t{2} * i)} << 16U);
    });
#endif
  }
#if defined(__AVX2__) && !defined(__AVX512F__)
  static __m256 eight(__m128i halves) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
#endif
};

struct F16 {
  static constexpr int kBlockBytes = 64;
  static constexpr int kScaleRows = 0;
  static constexpr float kFactor = 1;

  static WeightPair unpack(const std::uint8_t* block, float /*scale*/) {
    return {sixteen(block), sixteen(block + 32)};
  }

 private:
  static Lanes16 sixteen(const std::uint8_t* p) {
#if defined(__AVX512F__)
    return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
#elif defined(__AVX2__)
    const auto* halves = reinterpret_cast<const __m128i*>(p);
    return {_mm256_cvtph_ps(_mm_loadu_si128(halves)), _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
#else
    return Lanes16::each([=](int i) { return f16_to_f32(read_u16(p + std::ptrdiff_t{2} * i)); });
#endif
  }
};

struct F32 {
  static constexpr int kBlockBytes = 128;
  static constexpr int kScaleRows = 0;
  static constexpr float kFactor = 1;

  static WeightPair unpack(const std::uint8_t* block, float /*scale*/) {
    return {sixteen(block), sixteen(block + 64)};
  }

 private:
  static Lanes16 sixteen(const std::uint8_t* p) {
    float values[kLanes];  // a checkpoint tensor need not be aligned
    std::memcpy(values, p, sizeof(values));
    return Lanes16::load(values);
  }
};

}  // namespace
}  // namespace deepinfer::cpu
