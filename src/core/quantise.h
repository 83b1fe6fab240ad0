#pragma once

// The quantisers of the forward pass and their packed records (model specification 2.7 and 5.2).
//
//   Q8   FP8 E4M3 codes, power-of-two scale (E8M0 byte) per 32   record: n + n/32 bytes
//   Q4U  FP4 E2M1 codes, power-of-two scale (E8M0 byte) per 32   record: n/2 + n/32 bytes
//   Q4E  FP4 E2M1 codes, E4M3 scale per 16                       record: n/2 + n/16 bytes
//
// A record is all codes (FP4: even channel in the low nibble), then all scales. `n` is a multiple
// of
// 32. A NaN makes its whole block NaN (through the scale), so that it cannot pass for a number;
// an infinity saturates. Pure functions, thread-safe, no allocation.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace deepinfer {

enum class Quantiser : std::uint8_t { q8, q4u, q4e };

std::string_view name_of(Quantiser quantiser);

constexpr std::size_t record_bytes(Quantiser quantiser, std::size_t n) {
  switch (quantiser) {
    case Quantiser::q8:
      return n + n / 32;
    case Quantiser::q4u:
      return n / 2 + n / 32;
    case Quantiser::q4e:
      return n / 2 + n / 16;
  }
  return 0;
}

/// Packs `values` into `record` (record_bytes(quantiser, values.size()) bytes).
void quantise(Quantiser quantiser, std::span<const float> values, std::uint8_t* record);
/// Exact inverse of the packing: the "fake quantised" values.
void dequantise(Quantiser quantiser, const std::uint8_t* record, std::span<float> values);
/// quantise and dequantise in place. Values are exact in bf16 by construction.
void fake_quantise(Quantiser quantiser, std::span<float> values);

}  // namespace deepinfer
