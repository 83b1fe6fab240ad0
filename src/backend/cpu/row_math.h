#pragma once

// Small pieces of arithmetic over one row, shared by the element-wise kernels. Pure functions.

#include <cstdint>

#include "graph/rounding.h"

namespace deepinfer::cpu {

/// Applies an op's rounding point to `count` values in place.
void round_values(Rounding rounding, float* values, std::int64_t count);

/// Sum of x[i] * y[i] in double, in eight fixed lanes (lane = i mod 8).
double dot_in_double(const float* x, const float* y, std::int64_t count);

/// 1 / sqrt(mean(x^2) + eps).
double inverse_rms(const float* x, std::int64_t count, float eps);

/// 1 / (1 + exp(-x)).
double sigmoid(double x);

}  // namespace deepinfer::cpu
