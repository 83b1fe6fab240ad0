#pragma once

// Small things that several reference ops need.

#include <cmath>

#include "backend/tensor_ref.h"
#include "core/numeric_formats.h"
#include "graph/rounding.h"

namespace deepinfer::reference {

/// The one rounding at the end of an op: double to fp32, then to bf16 if the op says so.
inline float rounded(double value, Rounding rounding) {
  const auto single = static_cast<float>(value);
  return rounding == Rounding::bf16 ? round_bf16(single) : single;
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Element `index` of a plain weight, widened.
float plain_element(const WeightRef& weight, std::int64_t index);

/// Element [row, column] of a weight of any format, dequantised (model specification 4.3).
float weight_element(const WeightRef& weight, std::int64_t row, std::int64_t column);

/// sum_i x[i] * weight[row, i]
double dot_row(const WeightRef& weight, std::int64_t row, const float* x);

}  // namespace deepinfer::reference
