#pragma once

// Element types of StableHLO tensors and values' extents. Plain data.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"
#include "deepinfer/dtype.h"

namespace deepinfer::pjrt {

enum class Element : std::uint8_t { i1, ui8, i32, ui32, i64, f32, bf16, f16, f8e4m3fn, f4e2m1fn };

/// As StableHLO spells it: "ui8", "f8E4M3FN".
std::string_view name_of(Element element);
int bits_of(Element element);
bool is_float(Element element);
bool is_unsigned(Element element);

/// The type that host bytes of `type` are uploaded as: E8M0 and E4M3 as ui8.
Element element_of(DType type);

/// Extents, outermost first; empty: a scalar. Modules need more axes than graph values have.
using Dims = std::vector<std::int64_t>;

Dims dims_of(const Shape& shape);
std::int64_t elements_of(const Dims& dims);
/// "tensor<2x3xf32>"
std::string tensor_type(Element element, const Dims& dims);

}  // namespace deepinfer::pjrt
