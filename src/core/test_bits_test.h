#pragma once

// Inputs and digests that the tests of the number formats share. The expected digests in those
// tests come from an independent implementation of the model specification 2.7 in numpy, run over
// the same inputs.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deepinfer {

/// `count` 32-bit words of a fixed linear congruential generator.
inline std::vector<std::uint32_t> random_words(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  std::uint64_t state = 12345;
  for (std::uint32_t& word : words) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    word = static_cast<std::uint32_t>(state >> 32);
  }
  return words;
}

/// Any finite value: exponents from subnormal to the largest.
inline std::vector<float> wild_values(std::size_t count) {
  std::vector<float> values;
  for (const std::uint32_t word : random_words(count)) {
    const bool finite = (word & 0x7f800000U) != 0x7f800000U;
    values.push_back(std::bit_cast<float>(finite ? word : word & 0x80ffffffU));
  }
  return values;
}

/// Values between 2^-15 and 2^17.
inline std::vector<float> moderate_values(std::size_t count) {
  std::vector<float> values;
  for (const std::uint32_t word : random_words(count)) {
    const std::uint32_t exponent = ((word >> 23) & 31U) + 112U;
    values.push_back(std::bit_cast<float>((word & 0x807fffffU) | (exponent << 23)));
  }
  return values;
}

/// FNV-1a, 64 bits.
inline std::uint64_t digest(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3U;
  return hash;
}

}  // namespace deepinfer
