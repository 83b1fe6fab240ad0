#pragma once

// The products with checkpoint weights that exist once per instruction set.
//
// "Same bits": an output is one dot product along the channels in sixteen fixed lanes (lane = place
// in the prepared row mod 16), blocks of 32 channels in order, summed in one fixed tree at the end.
// Tiles over outputs and inputs only change which dot products run side by side.

#include <cstdint>

#include "backend/cpu/isa/tile_functions.h"

namespace deepinfer::cpu {

/// Channels per block: one scale of a quantised weight, one step of a dot product.
inline constexpr std::int64_t kProductBlock = 32;

/// Outputs worked on before the next inputs are looked at: 32 rows of 5120 FP8 channels are 160 KB
/// and stay in the second-level cache while all inputs pass by, so a step reads a weight from
/// memory once whatever its number of rows.
inline constexpr std::int64_t kProductPanel = 32;

/// out[t * out_stride + o - begin] = inputs[t] . weight row o, for o in [begin, end). Plain,
/// non-owning: these files share no inline functions with the rest.
struct Product {
  const std::uint8_t* codes;   ///< [outputs, width] as in the checkpoint
  const std::uint8_t* scales;  ///< E8M0; quantised weights only
  std::int64_t width;          ///< channels
  std::int64_t begin;
  std::int64_t end;
  const float* const* inputs;  ///< `count` prepared rows (product_inputs.h)
  std::int64_t count;
  float* out;
  std::int64_t out_stride;
};

struct ProductFunctions {
  using Run = void (*)(const Product& product);

  Run fp8;
  Run fp4;
  Run bf16;
  Run f16;
  Run f32;
  const TileFunctions* tiles;  ///< for inputs that are bf16 values; nullptr: no matrix unit
};

}  // namespace deepinfer::cpu
