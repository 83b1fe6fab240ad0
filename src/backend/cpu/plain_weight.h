#pragma once

// Reading plain weights, which the checkpoint stores as BF16, F16 or F32. Pure functions.

#include <cstdint>

#include "backend/tensor_ref.h"

namespace deepinfer::cpu {

/// Widens elements [offset, offset + count) of `weight` into `out`.
void widen(const WeightRef& weight, std::int64_t offset, std::int64_t count, float* out);

}  // namespace deepinfer::cpu
