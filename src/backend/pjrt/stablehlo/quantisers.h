#pragma once

// The model's quantisers (core/quantise.h) over the last axis of f32 values.

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/type_support.h"
#include "core/quantise.h"

namespace deepinfer::pjrt {

/// f32 […, n] to packed records ui8 […, record_bytes(n)].
Val quantise(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser, const Val& values);
/// Records ui8 […, record_bytes(n)] to f32 […, n].
Val dequantise(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser, const Val& records,
               std::int64_t n);
/// Onto the quantiser's grid and back.
Val fake_quantise(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser,
                  const Val& values);

}  // namespace deepinfer::pjrt
