#pragma once

// The tile registers of AMX, with what the compiler must not move around them. Included by amx.cpp
// only.

#include <cstdint>
#include <cstring>

namespace deepinfer::cpu {
namespace {

/// Shapes of the eight registers, palette 1 (Intel Architecture Instruction Set Extensions
/// Programming Reference, chapter 3).
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  void set(int tile, int row_count, int bytes) {
    rows[tile] = static_cast<std::uint8_t>(row_count);
    row_bytes[tile] = static_cast<std::uint16_t>(bytes);
  }
  void load() const { __asm__ volatile("ldtilecfg %0" ::"m"(*this)); }
  /// Leaves the registers in their initial state, in which a context switch need not save them.
  static void release() { __asm__ volatile("tilerelease"); }
};
static_assert(sizeof(TileConfig) == 64);

template <int kTile>
inline void tile_load(const void* from, std::int64_t row_stride) {
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(row_stride), "i"(kTile)
                   : "memory");
}
template <int kTile>
inline void tile_store(void* to, std::int64_t row_stride) {
  __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(row_stride), "i"(kTile)
                   : "memory");
}
template <int kTile>
inline void tile_zero() {
  __asm__ volatile("tilezero %%tmm%c0" ::"i"(kTile));
}
/// sums += weights x inputs, bf16 pairs to fp32.
template <int kSums, int kWeights, int kInputs>
inline void tile_multiply() {
  __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kWeights),
                   "i"(kInputs));
}

}  // namespace
}  // namespace deepinfer::cpu
