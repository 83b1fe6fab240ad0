#pragma once

// Arithmetic of intervals of whole numbers, for index_ranges.cpp. Exact as long as bounds are below
// 2^62; beyond, anything is possible.

#include <string_view>

#include "backend/pjrt/facts/index_ranges.h"

namespace deepinfer::pjrt {

inline constexpr Interval kAnything = {-(std::int64_t{1} << 62), std::int64_t{1} << 62};

bool is_whole_number(std::string_view element);
/// All that a type holds.
Interval range_of(std::string_view element);
/// `bounds` if the type holds them, else all that it holds: the arithmetic of a type wraps.
Interval fitted(Interval bounds, std::string_view element);
/// What both hold; `b` if that is nothing.
Interval common(Interval a, Interval b);
Interval joined(Interval a, Interval b);
/// Of StableHLO's op of that name; kAnything if it is not known.
Interval binary(std::string_view op, Interval a, Interval b);
/// Of "stablehlo.constant dense<7>".
Interval constant_of(std::string_view line);

}  // namespace deepinfer::pjrt
