#pragma once

// The bytes of a column: runs of equal length, equally far apart. Overlap is decided on these, not
// on first and last bytes: columns of a block-major root interleave and share nothing.

#include <cstdint>
#include <optional>

#include "graph/view_recipe.h"

namespace deepinfer {

/// Run i of `rows` covers [begin + i * stride, begin + i * stride + bytes).
struct StridedRange {
  std::int64_t begin = 0;
  std::int64_t bytes = 0;
  std::int64_t stride = 0;  ///< at least `bytes`, if there are several rows
  std::int64_t rows = 1;

  bool operator==(const StridedRange&) const = default;
  /// Behind the last byte.
  std::int64_t end() const { return rows == 0 ? begin : begin + (rows - 1) * stride + bytes; }
};

/// A contiguous run.
inline StridedRange run_of(std::int64_t begin, std::int64_t bytes) {
  return {.begin = begin, .bytes = bytes, .stride = bytes, .rows = 1};
}

/// A view's bytes inside its root.
StridedRange range_of(const ViewRecipe& recipe);

/// A byte that both hold, exactly; nothing if they are apart.
std::optional<std::int64_t> shared_byte(const StridedRange& one, const StridedRange& other);

}  // namespace deepinfer
