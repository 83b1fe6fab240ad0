#pragma once

// The Q8 quantiser's values without its codes: what core's fake_quantise(Quantiser::q8) gives, in a
// form the compiler makes vector code of. An infinity saturates,
// a NaN makes its block NaN.

#include <cstdint>

namespace deepinfer::cpu {

/// Puts 32 values on the FP8 grid of their block (model specification 2.7.1), in place.
void fake_quantise_q8_block(float* values);

}  // namespace deepinfer::cpu
