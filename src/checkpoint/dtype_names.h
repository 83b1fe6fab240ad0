#pragma once

// Element types as safetensors headers spell them, and shapes as messages print them. Pure
// functions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "deepinfer/dtype.h"

namespace deepinfer {

/// "BF16" -> DType::bf16; nothing for a spelling this project has no type for.
std::optional<DType> dtype_from_disk_name(std::string_view name);
std::string_view disk_name_of(DType type);

/// "[2, 3]"
std::string shape_text(std::span<const std::int64_t> shape);
/// "BF16 [2, 3]"
std::string dtype_shape_text(DType type, std::span<const std::int64_t> shape);

/// Elements of a shape; nothing if an extent is negative or the product leaves int64.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape);

}  // namespace deepinfer
