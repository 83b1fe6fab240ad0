#pragma once

// bf16 values of checkpoint codes times their scale, by scale: what unpacks weights for a matrix
// unit. Constants. Exact where the value is a normal bf16; infinite above, zero below 2^-126, which
// such units take for zero anyway; a NaN code or scale gives NaN.

#include <array>
#include <cstdint>

namespace deepinfer::cpu {

/// The 128 magnitudes of E4M3, low and high bytes apart: a byte permutation looks 64 codes up.
struct Fp8TileTable {
  alignas(64) std::array<std::uint8_t, 128> low;
  alignas(64) std::array<std::uint8_t, 128> high;
};

/// E2M1, twice over: a word permutation looks at five bits, the last of which is a neighbour's.
struct Fp4TileTable {
  alignas(64) std::array<std::uint16_t, 32> values;
};

/// By E8M0 code.
extern const std::array<Fp8TileTable, 256> kFp8TileTables;
extern const std::array<Fp4TileTable, 256> kFp4TileTables;

}  // namespace deepinfer::cpu
