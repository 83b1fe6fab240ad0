#pragma once

// Products of activations with weights of any format.

#include "backend/pjrt/stablehlo/weights.h"
#include "graph/rounding.h"

namespace deepinfer::pjrt {

/// x [n, in] with weight [out, in]: f32 [n, out]. A weight that unpacks to more than
/// `types.piece_bytes` is unpacked in pieces of its outputs.
Val product(ModuleWriter& w, const TypeSupport& types, const Val& x, const WeightVal& weight);

/// `values` as the op's attribute has them rounded.
Val rounded(ModuleWriter& w, const Val& values, Rounding rounding);

/// How many of `total` (a whole number of `unit`s) fit `bytes` at `bytes_each`, as a divisor of it.
std::int64_t piece_of(std::int64_t total, std::int64_t unit, std::int64_t bytes_each,
                      std::int64_t bytes);

}  // namespace deepinfer::pjrt
