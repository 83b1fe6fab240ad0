#pragma once

// Element types of tensors, on disk and in graphs.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace deepinfer {

enum class DType : std::uint8_t {
  f32,
  f16,
  bf16,
  f8_e4m3,  ///< "fn": no infinities, 0x7f and 0xff are NaN
  f8_e8m0,  ///< 2^(b-127), 255 is NaN
  u8,
  i8,
  i32,
  i64,
};

/// Bytes of one element.
constexpr std::size_t size_of(DType type) {
  switch (type) {
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i64:
      return 8;
    case DType::f8_e4m3:
    case DType::f8_e8m0:
    case DType::u8:
    case DType::i8:
      return 1;
  }
  return 0;
}

/// The name used in printed graphs: "f32", "bf16", …
constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::f8_e4m3:
      return "f8_e4m3";
    case DType::f8_e8m0:
      return "f8_e8m0";
    case DType::u8:
      return "u8";
    case DType::i8:
      return "i8";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
  }
  return "?";
}

}  // namespace deepinfer
