#include "graph/strided_range.h"

#include <algorithm>

namespace deepinfer {
namespace {

/// Rounded towards minus infinity. REQUIRES: b > 0.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/// Rows without gaps between them are one run.
StridedRange joined(const StridedRange& range) {
  if (range.rows > 1 && range.stride == range.bytes)
    return run_of(range.begin, range.rows * range.bytes);
  return range;
}

/// The rows of `range` that meet [begin, end): first and one past the last.
struct Rows {
  std::int64_t first;
  std::int64_t end;
};
Rows rows_meeting(const StridedRange& range, std::int64_t begin, std::int64_t end) {
  const std::int64_t stride = std::max<std::int64_t>(range.stride, 1);
  // Row i meets it iff range.begin + i * stride + range.bytes > begin and … < end.
  const std::int64_t first = floor_div(begin - range.begin - range.bytes, stride) + 1;
  const std::int64_t last = floor_div(end - 1 - range.begin, stride);
  return {std::max<std::int64_t>(first, 0), std::min(last + 1, range.rows)};
}

/// Equal strides: whether any two rows meet depends on their distance alone.
std::optional<std::int64_t> shared_at_equal_strides(const StridedRange& a, const StridedRange& b) {
  const std::int64_t distance = b.begin - a.begin;
  // Rows i of a and j of b meet iff -b.bytes < distance - (i - j) * stride < a.bytes.
  const std::int64_t least = floor_div(distance - a.bytes, a.stride) + 1;
  const std::int64_t most = floor_div(distance + b.bytes - 1, a.stride);
  const std::int64_t shift = std::max(least, -(b.rows - 1));
  if (shift > std::min(most, a.rows - 1)) return std::nullopt;
  const std::int64_t i = std::max<std::int64_t>(shift, 0);
  return std::max(a.begin + i * a.stride, b.begin + (i - shift) * b.stride);
}

}  // namespace

StridedRange range_of(const ViewRecipe& recipe) {
  return {.begin = recipe.offset,
          .bytes = recipe.column_bytes(),
          .stride = recipe.row_bytes,
          .rows = recipe.shape[0]};
}

std::optional<std::int64_t> shared_byte(const StridedRange& one, const StridedRange& other) {
  StridedRange a = joined(one);
  StridedRange b = joined(other);
  if (a.rows < 1 || b.rows < 1 || a.bytes < 1 || b.bytes < 1) return std::nullopt;
  if (a.end() <= b.begin || b.end() <= a.begin) return std::nullopt;
  if (a.rows > 1 && b.rows > 1 && a.stride == b.stride) return shared_at_equal_strides(a, b);
  if (a.rows > b.rows) std::swap(a, b);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::int64_t begin = a.begin + row * a.stride;
    const Rows met = rows_meeting(b, begin, begin + a.bytes);
    if (met.first < met.end) return std::max(begin, b.begin + met.first * b.stride);
  }
  return std::nullopt;
}

}  // namespace deepinfer
