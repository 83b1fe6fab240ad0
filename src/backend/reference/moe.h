#pragma once

#include "graph/rounding.h"

namespace deepinfer::reference {

/// weight * silu(g) * u with the clamps of `limit` (<= 0: none), rounded once. Model specification
/// 2.10.
float swiglu(float gate, float up, double weight, float limit, Rounding rounding);

}  // namespace deepinfer::reference
