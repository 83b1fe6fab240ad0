#pragma once

// Products with checkpoint weights on a processor's matrix unit, where it has one.
//
// Inputs are bf16 values: what a Q8-quantised row and every row of official numerics are. Weights
// become bf16 too, exactly, but for magnitudes below 2^-126, which the unit takes for zero.
//
// "Same bits": an output is one dot product in fp32, channels in pairs, pairs in order, whatever
// the number of inputs and outputs beside it.

#include <cstdint>

namespace deepinfer::cpu {

/// Inputs side by side in a tile: a set of packed rows is made of tiles of this many, the last one
/// as wide as what is left.
inline constexpr std::int64_t kTileInputs = 16;

/// Two bf16 values, neighbours in a prepared row.
using Bf16Pair = std::uint32_t;

/// Pairs in a block of 32 channels.
inline constexpr std::int64_t kBlockPairs = 16;

/// Where input `index` of a set of `count` goes: tile by tile [blocks, kBlockPairs, inputs].
struct TilePlace {
  std::int64_t offset;  ///< of its first pair, in pairs from the set's start
  std::int64_t stride;  ///< between its pairs: inputs in the tile

  static TilePlace of(std::int64_t index, std::int64_t count, std::int64_t blocks) {
    const std::int64_t first = index / kTileInputs * kTileInputs;
    const std::int64_t left = count - first;
    return {.offset = first * blocks * kBlockPairs + index - first,
            .stride = left < kTileInputs ? left : kTileInputs};
  }
};

/// Where 32 rows of weights lie that are read next; nullptr: nobody knows.
struct NextPanel {
  const std::uint8_t* codes = nullptr;
  const std::uint8_t* scales = nullptr;  ///< of FP4 weights
};

/// As Product, but for the inputs.
struct TileProduct {
  const std::uint8_t* codes;
  const std::uint8_t* scales;
  std::int64_t width;
  std::int64_t begin;
  std::int64_t end;
  const Bf16Pair* inputs;  ///< a set, packed
  std::int64_t count;
  float* out;
  std::int64_t out_stride;
  NextPanel next;  ///< of the same width and format
};

struct TileFunctions {
  using Run = void (*)(const TileProduct& product);
  /// Packs blocks of 32 values that are bf16 values already; `to` is the input's first pair.
  using Pack = void (*)(const float* from, std::int64_t blocks, std::int64_t stride, Bf16Pair* to);

  Run fp8;
  Run fp4;
  Run bf16;
  // In the order that the weights' codes are unpacked to, block by block.
  Pack pack_fp8;   ///< the even channels, then the odd ones
  Pack pack_fp4;   ///< every fourth channel from the first, from the second, and so on
  Pack pack_bf16;  ///< in order
};

}  // namespace deepinfer::cpu
