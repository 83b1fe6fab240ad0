#pragma once

// Codes of the checkpoint's and caches' number formats to f32 and back, element by element, with
// the results of core/numeric_formats.h bit by bit (subnormals as far as the device has them).

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/type_support.h"

namespace deepinfer::pjrt {

/// ui8 […] of E4M3 codes to f32 […].
Val decode_e4m3(ModuleWriter& w, const TypeSupport& types, const Val& codes);
/// ui8 […, n] of E2M1 pairs, even element in the low nibble, to f32 […, 2n].
Val decode_e2m1(ModuleWriter& w, const TypeSupport& types, const Val& pairs);
/// ui8 […] of E8M0 codes to f32 […].
Val decode_e8m0(ModuleWriter& w, const Val& codes);
/// A plain weight's elements: f32, or bf16 and f16 widened.
Val widen(ModuleWriter& w, const Val& values);

/// f32 to ui8 E4M3 codes: nearest, ties to even, saturating; a NaN gives a NaN.
Val encode_e4m3(ModuleWriter& w, const Val& values);
/// f32 to ui8 E2M1 codes 0 … 15: nearest, ties to even, saturating.
Val encode_e2m1(ModuleWriter& w, const Val& values);
/// ui8 […, 2n] of codes to ui8 […, n] of pairs.
Val pair_nibbles(ModuleWriter& w, const Val& codes);

/// ui8 E8M0 code of the smallest power of two not below each (positive) f32.
Val power_ceiling(ModuleWriter& w, const Val& values);

}  // namespace deepinfer::pjrt
