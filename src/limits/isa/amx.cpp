// See the flags of this file in src/limits/CMakeLists.txt.

#include <immintrin.h>

#include "limits/limit_kernels.h"

namespace deepinfer::limits {
namespace {

/// Palette 1: all eight tiles 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// Four sums of 16x16 from two tiles of rows and two of columns, as a product uses them.
void bf16_tiles(std::int64_t passes) {
  const TileConfig config;
  asm volatile("" : : "m"(config));  // the intrinsic does not tell the compiler that it reads it
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

}  // namespace

constinit const PeakKernel kAmxBf16 = {.type = "bf16 tiles",
                                       .instruction = "tdpbf16ps",
                                       .macs_per_pass = std::int64_t{4} * 16 * 16 * 32,
                                       .run = &bf16_tiles};

}  // namespace deepinfer::limits
