#pragma once

// Products with weights, for the instruction set the including file is compiled for.

#include "backend/cpu/isa/product_functions.h"
#include "backend/cpu/isa/weight_formats.h"

namespace deepinfer::cpu {
namespace {

// Tiles, by what fits the registers. One input: enough outputs to hide the latency of the sums.
// Several inputs: unpacking a weight costs five times a multiply-add, so inputs come first.
#if defined(__AVX512F__)
inline constexpr int kSingleOutputs = 4;  // 4 sums, 8 weight vectors, 2 of input, of 32
inline constexpr int kManyOutputs = 2;    // 16 sums, 4 weight vectors, 2 of input
inline constexpr int kManyInputs = 8;
#elif defined(__AVX2__)
inline constexpr int kSingleOutputs = 2;  // a vector is two of the 16 registers
inline constexpr int kManyOutputs = 1;
inline constexpr int kManyInputs = 4;
#else
inline constexpr int kSingleOutputs = 1;
inline constexpr int kManyOutputs = 1;
inline constexpr int kManyInputs = 2;
#endif

/// The value of every E8M0 code: 2^(code - 127), the first of which is subnormal, then NaN at 255.
struct ScaleTable {
  float values[256] = {};

  constexpr ScaleTable() {
    values[0] = 0x1p-127F;
    values[1] = 0x1p-126F;
    for (int code = 2; code < 255; ++code) values[code] = 2 * values[code - 1];
    values[255] = __builtin_nanf("");
  }
};
inline constexpr ScaleTable kScales;

/// Where the rows of a weight and their scales lie.
template <typename Format>
struct WeightRow {
  const std::uint8_t* codes;
  const std::uint8_t* scales;

  static WeightRow of(const Product& product, std::int64_t output) {
    const std::int64_t row_bytes = product.width * Format::kBlockBytes / kProductBlock;
    const std::int64_t blocks = (product.width + kProductBlock - 1) / kProductBlock;
    WeightRow row{product.codes + output * row_bytes, nullptr};
    if constexpr (Format::kScaleRows > 0)
      row.scales = product.scales + output / Format::kScaleRows * blocks;
    return row;
  }
  float scale(std::int64_t block) const {
    if constexpr (Format::kScaleRows > 0) return kScales.values[scales[block]];
    return 1;
  }
};

template <typename Format, int kOutputs, int kInputs>
inline void product_tile(const Product& product, std::int64_t output, std::int64_t input) {
  WeightRow<Format> rows[kOutputs];
  for (int o = 0; o < kOutputs; ++o) rows[o] = WeightRow<Format>::of(product, output + o);
  const float* inputs[kInputs];
  for (int t = 0; t < kInputs; ++t) inputs[t] = product.inputs[input + t];
  Lanes16 sums[kInputs][kOutputs];
  for (auto& row : sums)
    for (Lanes16& sum : row) sum = Lanes16::zero();

  const auto step = [&](std::int64_t block, const WeightPair* weights) {
    for (int t = 0; t < kInputs; ++t) {
      const Lanes16 first = Lanes16::load(inputs[t] + block * kProductBlock);
      const Lanes16 second = Lanes16::load(inputs[t] + block * kProductBlock + kLanes);
      for (int o = 0; o < kOutputs; ++o) {
        sums[t][o] = Lanes16::fma(weights[o].first, first, sums[t][o]);
        sums[t][o] = Lanes16::fma(weights[o].second, second, sums[t][o]);
      }
    }
  };

  const std::int64_t whole = product.width / kProductBlock;
  // Ask for the next tile's weights while this one's are multiplied: the processor's own
  // prefetching ends at every page. One input, AVX-512, weights not in any cache, of a core's time:
  // FP8 from 7 to 11 GB/s, FP4 from 4 to 8.5.
  const std::int64_t ahead = kOutputs * product.width * Format::kBlockBytes / kProductBlock;
  for (std::int64_t block = 0; block < whole; ++block) {
    WeightPair weights[kOutputs];
    for (int o = 0; o < kOutputs; ++o) {
      const std::uint8_t* codes = rows[o].codes + block * Format::kBlockBytes;
      __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(codes) +
                                                       static_cast<std::uintptr_t>(ahead)));
      weights[o] = Format::unpack(codes, rows[o].scale(block));
    }
    step(block, weights);
  }
  const std::int64_t left = product.width % kProductBlock;
  if (left != 0) {  // the last block, filled up with zeros as prepared inputs are
    WeightPair weights[kOutputs];
    for (int o = 0; o < kOutputs; ++o) {
      std::uint8_t block[Format::kBlockBytes] = {};
      std::memcpy(block, rows[o].codes + whole * Format::kBlockBytes,
                  static_cast<std::size_t>(left * Format::kBlockBytes / kProductBlock));
      weights[o] = Format::unpack(block, rows[o].scale(whole));
    }
    step(whole, weights);
  }

  for (int t = 0; t < kInputs; ++t)
    for (int o = 0; o < kOutputs; ++o)
      product.out[(input + t) * product.out_stride + output + o - product.begin] =
          sum_of(sums[t][o]) * Format::kFactor;
}

template <typename Format, int kOutputs, int kInputs>
inline void product_strip(const Product& product, std::int64_t begin, std::int64_t end,
                          std::int64_t input) {
  std::int64_t output = begin;
  for (; output + kOutputs <= end; output += kOutputs)
    product_tile<Format, kOutputs, kInputs>(product, output, input);
  for (; output < end; ++output) product_tile<Format, 1, kInputs>(product, output, input);
}

/// All inputs from `input` on in tiles of kInputs, the rest in smaller ones.
template <typename Format, int kInputs>
inline void product_inputs(const Product& product, std::int64_t begin, std::int64_t end,
                           std::int64_t input) {
  constexpr int kOutputs = kInputs == 1 ? kSingleOutputs : kManyOutputs;
  for (; input + kInputs <= product.count; input += kInputs)
    product_strip<Format, kOutputs, kInputs>(product, begin, end, input);
  if constexpr (kInputs > 1) product_inputs<Format, kInputs / 2>(product, begin, end, input);
}

template <typename Format>
void product_body(const Product& product) {
  for (std::int64_t begin = product.begin; begin < product.end; begin += kProductPanel) {
    const std::int64_t end =
        begin + kProductPanel < product.end ? begin + kProductPanel : product.end;
    product_inputs<Format, kManyInputs>(product, begin, end, 0);
  }
}

inline constexpr ProductFunctions kProductFunctions = {.fp8 = &product_body<Fp8>,
                                                       .fp4 = &product_body<Fp4>,
                                                       .bf16 = &product_body<Bf16>,
                                                       .f16 = &product_body<F16>,
                                                       .f32 = &product_body<F32>,
                                                       .tiles = nullptr};

}  // namespace
}  // namespace deepinfer::cpu
