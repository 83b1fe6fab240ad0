#pragma once

// The number formats of the checkpoint and their exact conversions. Pure functions.
// Formula source: the model specification 2.7.4 and 4.3 (OCP FP8 E4M3 "fn", OCP MX E2M1 and E8M0).

#include <cstdint>

namespace deepinfer {

float bf16_to_f32(std::uint16_t bits);
/// Round to nearest even; NaN stays NaN, overflow goes to infinity.
std::uint16_t f32_to_bf16(float value);
/// f32_to_bf16 and back.
float round_bf16(float value);

float f16_to_f32(std::uint16_t bits);

float e4m3_to_f32(std::uint8_t code);
/// Nearest, ties to even, saturating at +-448. The sign of zero is kept; NaN gives a NaN code.
std::uint8_t f32_to_e4m3(float value);

/// 2^(code - 127); code 0 is the subnormal 2^-127, 255 is NaN.
float e8m0_to_f32(std::uint8_t code);

/// Low four bits of `code`.
float e2m1_to_f32(std::uint8_t code);
/// Nearest, ties to even code, saturating at +-6. The sign of zero is kept. Result in 0..15.
/// The format has no NaN: a NaN gives +-6, so callers mark it elsewhere (quantise: in the scale).
std::uint8_t f32_to_e2m1(float value);

/// Table of all 256 E4M3 values, for kernels.
const float* e4m3_table();

}  // namespace deepinfer
