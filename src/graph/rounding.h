#pragma once

// Rounding points are part of the graph: an op that rounds its result says so in its attributes, so
// that `official` and `fp32` numerics are two graphs over the same kernels.

#include <cstdint>
#include <string_view>

namespace deepinfer {

enum class Rounding : std::uint8_t {
  none,  ///< results stay fp32
  bf16,  ///< every result is rounded to bf16 once (and kept as an fp32 with that value)
};

constexpr std::string_view name_of(Rounding rounding) {
  return rounding == Rounding::bf16 ? "bf16" : "none";
}

}  // namespace deepinfer
