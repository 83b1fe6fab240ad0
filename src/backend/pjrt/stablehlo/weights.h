#pragma once

// Weights in their own bytes, and their values as f32.
//
//   plain  elements [shape] of their own type
//   fp8    codes ui8 [out, in], scales ui8 [ceil(out/32), ceil(in/32)]
//   fp4    codes ui8 [out, in/2], scales ui8 [out, in/32]
// A bank of experts has all experts behind one leading axis. Model specification 4.3.

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/type_support.h"
#include "graph/value.h"

namespace deepinfer::pjrt {

struct WeightVal {
  WeightFormat format = WeightFormat::plain;
  Val codes;
  Val scales;  ///< of fp8 and fp4
  Dims dims;   ///< of the values
};

/// Extents of a weight's codes and scales as uploaded; scales are empty if it has none.
struct WeightDims {
  Dims codes;
  Dims scales;
};
WeightDims weight_dims(WeightFormat format, const Shape& shape);

/// All values: f32 [dims].
Val unpack(ModuleWriter& w, const TypeSupport& types, const WeightVal& weight);
/// Output rows [start, start + count) of a matrix; fp8: both multiples of 32.
WeightVal rows_of(ModuleWriter& w, const WeightVal& weight, const Val& start, std::int64_t count);
/// The matrix of expert `index` (a scalar) of a bank.
WeightVal expert_of(ModuleWriter& w, const WeightVal& bank, const Val& index);

}  // namespace deepinfer::pjrt
