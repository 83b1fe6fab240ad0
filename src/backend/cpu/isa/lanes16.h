#pragma once

// Sixteen fp32 lanes, in the widest registers the including file is compiled for.
//
// Sums that run over channels keep sixteen lanes on every instruction set (lane = channel mod 16)
// and end in the same tree, so a sum's order does not depend on the machine. Only whether a
// multiply and an add are fused does: `fma` is fused where the instruction exists.
//
// Everything has internal linkage: the files that include this are compiled for different
// instruction sets, and a function shared among them could end up in the wrong one.

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#if defined(__GNUC__) && !defined(__clang__)
// The compiler's own header makes "undefined" vectors that g++ 12 then warns of (GCC bug 105593),
// in the functions they are inlined into: for the rest of the including file.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace deepinfer::cpu {
namespace {

inline constexpr int kLanes = 16;

/// 2^120: an E4M3 code shifted into place as an fp32 is too small by this factor (bias 7 for 127).
inline constexpr float kE4m3Shift = 0x1p120F;

#if defined(__AVX2__)

/// Eight bytes of two nibbles each to sixteen bytes, low nibble first.
inline __m128i split_nibbles(const std::uint8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  const __m128i low = _mm_and_si128(bytes, _mm_set1_epi8(15));
  const __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
  return _mm_unpacklo_epi8(low, high);
}

#endif

#if defined(__AVX512F__)

struct Lanes16 {
  __m512 v;

  /// Register tile of a product: heads (or rows) and vectors per head that stay in registers.
  static constexpr int kTileRows = 4;
  static constexpr int kTileVectors = 4;

  static Lanes16 zero() { return {_mm512_setzero_ps()}; }
  static Lanes16 broadcast(float x) { return {_mm512_set1_ps(x)}; }
  static Lanes16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  /// The first `count` (1 … 15) lanes; the others are zero.
  static Lanes16 load_part(const float* p, int count) {
    return {_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), p)};
  }
  /// Sixteen E4M3 codes, times 2^-120.
  static Lanes16 load_e4m3(const std::uint8_t* p) {
    __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m512i wide = _mm512_slli_epi32(_mm512_cvtepi8_epi32(codes), 20);
    return {_mm512_castsi512_ps(
        _mm512_and_si512(wide, _mm512_set1_epi32(static_cast<int>(0x87f00000U))))};
  }
  /// Sixteen E2M1 values, two to a byte, the even one in the low nibble.
  static Lanes16 load_e2m1(const std::uint8_t* p) {
    return e2m1(_mm512_cvtepu8_epi32(split_nibbles(p)));
  }
  /// E2M1 values of nibble `index` (0 … 7) of every word.
  static Lanes16 e2m1_nibble(const std::uint32_t* words, int index) {
    return e2m1(_mm512_srl_epi32(_mm512_loadu_si512(words), _mm_cvtsi32_si128(4 * index)));
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }

  static Lanes16 add(Lanes16 a, Lanes16 b) { return {_mm512_add_ps(a.v, b.v)}; }
  static Lanes16 sub(Lanes16 a, Lanes16 b) { return {_mm512_sub_ps(a.v, b.v)}; }
  static Lanes16 mul(Lanes16 a, Lanes16 b) { return {_mm512_mul_ps(a.v, b.v)}; }
  static Lanes16 div(Lanes16 a, Lanes16 b) { return {_mm512_div_ps(a.v, b.v)}; }
  static Lanes16 max(Lanes16 a, Lanes16 b) { return {_mm512_max_ps(a.v, b.v)}; }
  static Lanes16 fma(Lanes16 a, Lanes16 b, Lanes16 c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
  /// 2^n, n being the whole number in the low bits of `n_plus_magic`'s representation.
  static Lanes16 power_of_two(Lanes16 n_plus_magic) {
    const __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(n_plus_magic.v), 23);
    return {_mm512_castsi512_ps(_mm512_add_epi32(shifted, _mm512_set1_epi32(0x3f800000)))};
  }
  /// Nearest bf16, ties to even, as an fp32. Not for NaN.
  static Lanes16 round_bf16(Lanes16 a) {
    const __m512i bits = _mm512_castps_si512(a.v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i sum = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    return {_mm512_castsi512_ps(
        _mm512_and_si512(sum, _mm512_set1_epi32(static_cast<int>(0xffff0000U))))};
  }

 private:
  /// By the low four bits; the permutation looks at no others.
  static Lanes16 e2m1(__m512i codes) {
    const __m512 table = _mm512_setr_ps(0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -0.0F,
                                        -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F);
    return {_mm512_permutexvar_ps(codes, table)};
  }
};

#elif defined(__AVX2__)

struct Lanes16 {
  __m256 low;
  __m256 high;

  static constexpr int kTileRows = 2;
  static constexpr int kTileVectors = 2;

  static Lanes16 zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static Lanes16 broadcast(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static Lanes16 load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static Lanes16 load_part(const float* p, int count) {
    float padded[16] = {};
    std::memcpy(padded, p, static_cast<std::size_t>(count) * sizeof(float));
    return load(padded);
  }
  static Lanes16 load_e4m3(const std::uint8_t* p) {
    const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {e4m3(codes), e4m3(_mm_srli_si128(codes, 8))};
  }
  static Lanes16 load_e2m1(const std::uint8_t* p) {
    const __m128i codes = split_nibbles(p);
    return {e2m1(_mm256_cvtepu8_epi32(codes)),
            e2m1(_mm256_cvtepu8_epi32(_mm_srli_si128(codes, 8)))};
  }
  static Lanes16 e2m1_nibble(const std::uint32_t* words, int index) {
    const __m128i shift = _mm_cvtsi32_si128(4 * index);
    const auto* vectors = reinterpret_cast<const __m256i*>(words);
    return {e2m1(_mm256_srl_epi32(_mm256_loadu_si256(vectors), shift)),
            e2m1(_mm256_srl_epi32(_mm256_loadu_si256(vectors + 1), shift))};
  }
  void store(float* p) const {
    _mm256_storeu_ps(p, low);
    _mm256_storeu_ps(p + 8, high);
  }

  static Lanes16 add(Lanes16 a, Lanes16 b) {
    return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
  }
  static Lanes16 sub(Lanes16 a, Lanes16 b) {
    return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
  }
  static Lanes16 mul(Lanes16 a, Lanes16 b) {
    return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
  }
  static Lanes16 div(Lanes16 a, Lanes16 b) {
    return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
  }
  static Lanes16 max(Lanes16 a, Lanes16 b) {
    return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
  }
  static Lanes16 fma(Lanes16 a, Lanes16 b, Lanes16 c) {
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
  }
  static Lanes16 power_of_two(Lanes16 n_plus_magic) {
    return {power_of_two(n_plus_magic.low), power_of_two(n_plus_magic.high)};
  }
  static Lanes16 round_bf16(Lanes16 a) { return {round_bf16(a.low), round_bf16(a.high)}; }

 private:
  static __m256 e4m3(__m128i codes) {
    const __m256i wide = _mm256_slli_epi32(_mm256_cvtepi8_epi32(codes), 20);
    return _mm256_castsi256_ps(
        _mm256_and_si256(wide, _mm256_set1_epi32(static_cast<int>(0x87f00000U))));
  }
  /// By the low four bits of every lane.
  static __m256 e2m1(__m256i codes) {
    const __m256 table = _mm256_setr_ps(0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F);
    const __m256i sign = _mm256_and_si256(_mm256_slli_epi32(codes, 28),
                                          _mm256_set1_epi32(static_cast<int>(0x80000000U)));
    // The permutation looks at the low three bits only.
    return _mm256_xor_ps(_mm256_permutevar8x32_ps(table, codes), _mm256_castsi256_ps(sign));
  }
  static __m256 power_of_two(__m256 n_plus_magic) {
    const __m256i shifted = _mm256_slli_epi32(_mm256_castps_si256(n_plus_magic), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(shifted, _mm256_set1_epi32(0x3f800000)));
  }
  static __m256 round_bf16(__m256 a) {
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i sum = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    return _mm256_castsi256_ps(
        _mm256_and_si256(sum, _mm256_set1_epi32(static_cast<int>(0xffff0000U))));
  }
};

#else

struct Lanes16 {
  float v[kLanes];

  static constexpr int kTileRows = 1;
  static constexpr int kTileVectors = 2;

  static float e2m1(std::uint32_t code) {
    static constexpr float kTable[16] = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                         -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
    return kTable[code];
  }
  /// f(lane) for every lane.
  template <typename F>
  static Lanes16 each(F&& f) {
    Lanes16 result;
    for (int lane = 0; lane < kLanes; ++lane) result.v[lane] = f(lane);
    return result;
  }
  static std::uint32_t bits_of(float x) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  }
  static float value_of(std::uint32_t bits) {
    float x = 0;
    std::memcpy(&x, &bits, sizeof(x));
    return x;
  }

  static Lanes16 zero() { return broadcast(0); }
  static Lanes16 broadcast(float x) {
    return each([=](int) { return x; });
  }
  static Lanes16 load(const float* p) {
    return each([=](int lane) { return p[lane]; });
  }
  static Lanes16 load_part(const float* p, int count) {
    return each([=](int lane) { return lane < count ? p[lane] : 0.0F; });
  }
  static Lanes16 load_e4m3(const std::uint8_t* p) {
    return each([=](int lane) {
      const std::uint32_t code = p[lane];
      return value_of((code & 0x80U) << 24 | (code & 0x7fU) << 20);
    });
  }
  static Lanes16 load_e2m1(const std::uint8_t* p) {
    return each([=](int lane) { return e2m1((p[lane / 2] >> (lane % 2 * 4)) & 15U); });
  }
  static Lanes16 e2m1_nibble(const std::uint32_t* words, int index) {
    return each([=](int lane) { return e2m1((words[lane] >> (4 * index)) & 15U); });
  }
  void store(float* p) const {
    for (int lane = 0; lane < kLanes; ++lane) p[lane] = v[lane];
  }

  static Lanes16 add(const Lanes16& a, const Lanes16& b) {
    return each([&](int lane) { return a.v[lane] + b.v[lane]; });
  }
  static Lanes16 sub(const Lanes16& a, const Lanes16& b) {
    return each([&](int lane) { return a.v[lane] - b.v[lane]; });
  }
  static Lanes16 mul(const Lanes16& a, const Lanes16& b) {
    return each([&](int lane) { return a.v[lane] * b.v[lane]; });
  }
  static Lanes16 div(const Lanes16& a, const Lanes16& b) {
    return each([&](int lane) { return a.v[lane] / b.v[lane]; });
  }
  static Lanes16 max(const Lanes16& a, const Lanes16& b) {
    return each([&](int lane) { return a.v[lane] > b.v[lane] ? a.v[lane] : b.v[lane]; });
  }
  static Lanes16 fma(const Lanes16& a, const Lanes16& b, const Lanes16& c) {
    return each([&](int lane) { return a.v[lane] * b.v[lane] + c.v[lane]; });
  }
  static Lanes16 power_of_two(const Lanes16& n_plus_magic) {
    return each(
        [&](int lane) { return value_of((bits_of(n_plus_magic.v[lane]) << 23) + 0x3f800000U); });
  }
  static Lanes16 round_bf16(const Lanes16& a) {
    return each([&](int lane) {
      const std::uint32_t bits = bits_of(a.v[lane]);
      return value_of((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
    });
  }
};

#endif

/// Sum of all lanes: lane i with lane i + 8, then i + 4, i + 2, i + 1.
inline float sum_of(const Lanes16& a) {
  float lanes[kLanes];
  a.store(lanes);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

inline float largest_of(const Lanes16& a) {
  float lanes[kLanes];
  a.store(lanes);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      if (lanes[i + half] > lanes[i]) lanes[i] = lanes[i + half];
  return lanes[0];
}

/// exp(x) for x <= 88, within about 1 ulp; exp(-87) = 1.6e-38 for all x below -87, which beside a
/// probability of 1 counts for nothing. Argument reduction by ln 2 in two parts, then the Taylor
/// series: at |r| <= ln(2)/2 its first missing term is 5e-9.
inline Lanes16 exp_of(Lanes16 x) {
  constexpr float kMagic = 0x1.8p23F;  // adding it rounds to a whole number
  constexpr float kSmallest = -87.0F;  // below, 2^n is no longer a normal number
  constexpr float kTerms[] = {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F};
  const Lanes16 clamped = Lanes16::max(x, Lanes16::broadcast(kSmallest));
  const Lanes16 shifted =
      Lanes16::fma(clamped, Lanes16::broadcast(1.44269504F), Lanes16::broadcast(kMagic));
  const Lanes16 n = Lanes16::sub(shifted, Lanes16::broadcast(kMagic));
  Lanes16 r = Lanes16::fma(n, Lanes16::broadcast(-0.693359375F), clamped);
  r = Lanes16::fma(n, Lanes16::broadcast(2.12194440e-4F), r);
  Lanes16 y = Lanes16::broadcast(1.0F / 5040);
  for (const float term : kTerms) y = Lanes16::fma(y, r, Lanes16::broadcast(term));
  return Lanes16::mul(y, Lanes16::power_of_two(shifted));
}

}  // namespace
}  // namespace deepinfer::cpu
