#include "graph/view_recipe.h"

#include <fmt/format.h>

namespace deepinfer {
namespace {

// A column that is one run may be padded to this between its rows: what a row must be aligned to
// for vector loads.
constexpr std::int64_t kRowAlignment = 16;

/// Bytes of shape[1:], or -1 if the shape is none or they are more than `most`.
std::int64_t checked_column_bytes(const ViewRecipe& recipe, std::int64_t most) {
  if (recipe.shape.rank() == 0 || recipe.shape[0] < 1) return -1;
  auto bytes = static_cast<std::int64_t>(size_of(recipe.dtype));
  for (std::size_t axis = 1; axis < recipe.shape.rank(); ++axis) {
    const std::int64_t extent = recipe.shape[axis];
    if (extent < 1 || extent > most / bytes) return -1;
    bytes *= extent;
  }
  return bytes;
}

}  // namespace

std::string_view name_of(CacheRoot root) {
  switch (root) {
    case CacheRoot::kv:
      return "kv";
    case CacheRoot::state:
      return "state";
    case CacheRoot::state_f32:
      return "state_f32";
  }
  return "?";
}

std::string ViewRecipe::fault(std::int64_t root_bytes) const {
  const std::int64_t column = checked_column_bytes(*this, root_bytes);
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  if (column < 0)
    return fmt::format("extents of 1 and more within the root's {} bytes", root_bytes);
  if (row_bytes < column) return fmt::format("a row stride of at least {} bytes", column);
  if (offset % element != 0 || row_bytes % element != 0)
    return fmt::format("offset and row stride divisible by {}", element);
  if (offset < 0 || offset > root_bytes - column ||
      shape[0] - 1 > (root_bytes - column - offset) / row_bytes)
    return fmt::format("an end within the root's {} bytes", root_bytes);
  return {};
}

std::string ViewRecipe::column_fault(std::int64_t root_bytes) const {
  std::string basic = fault(root_bytes);
  if (!basic.empty()) return basic;
  const bool apart = row_bytes - column_bytes() >= kRowAlignment;
  if (apart && offset + column_bytes() > row_bytes)
    return fmt::format("offset and {} column bytes within the row stride", column_bytes());
  return {};
}

std::string ViewRecipe::to_string() const {
  return fmt::format("shape {} at offset {}, row stride {} bytes", shape.to_string(), offset,
                     row_bytes);
}

}  // namespace deepinfer
