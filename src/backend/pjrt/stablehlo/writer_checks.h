#pragma once

// What the writer throws where a line would be ill-typed, and pieces of text its methods share.

#include <string>
#include <string_view>
#include <vector>

#include "backend/pjrt/stablehlo/module_writer.h"
#include "deepinfer/error.h"

namespace deepinfer::pjrt {

/// "[stablehlo] <op> <what>, expected …, got …": a fault of the lowering, not of its input.
Error ill_typed(std::string_view op, std::string_view what, const std::string& expected,
                const std::string& got);
/// Throws unless the extents are equal.
void require_dims(std::string_view op, const Val& value, const Dims& expected);
/// Throws unless the value has exactly `rank` axes.
void require_rank(std::string_view op, const Val& value, std::size_t rank);
void require_axis(std::string_view op, const Val& value, std::size_t axis);
void require_type(std::string_view op, const Val& value, Element expected);

/// "[0, 2]"
std::string list_text(const std::vector<std::int64_t>& numbers);

}  // namespace deepinfer::pjrt
