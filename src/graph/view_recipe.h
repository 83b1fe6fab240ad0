#pragma once

// How a cache view is cut out of its root: data, not code, so that it can be printed and checked.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/shape.h"
#include "deepinfer/dtype.h"

namespace deepinfer {

enum class CacheRoot : std::uint8_t {
  kv,         ///< rows = blocks
  state,      ///< rows = sequence slots
  state_f32,  ///< rows = sequence slots; fp32 columns, where a backend wants them apart
};

inline constexpr std::array kCacheRoots = {CacheRoot::kv, CacheRoot::state, CacheRoot::state_f32};

/// "kv", "state", "state_f32"
std::string_view name_of(CacheRoot root);

struct ViewRecipe {
  CacheRoot root = CacheRoot::kv;
  std::int64_t offset = 0;     ///< bytes from the root's start to row 0 of the column
  std::int64_t row_bytes = 0;  ///< bytes from one row to the next
  Shape shape;                 ///< [rows, …]; shape[1:] lies contiguously inside a row
  DType dtype = DType::u8;

  /// Bytes the column takes in one row.
  std::int64_t column_bytes() const {
    return shape.elements() / shape[0] * static_cast<std::int64_t>(size_of(dtype));
  }
  bool operator==(const ViewRecipe&) const = default;

  /// What every view must be and this one is not, given its root's bytes; empty: nothing.
  std::string fault(std::int64_t root_bytes) const;
  /// The same for what a column of a cache must be besides: where rows lie apart, other columns lie
  /// between them, so a row of the column must lie inside a row of its root.
  std::string column_fault(std::int64_t root_bytes) const;
  /// "shape [3, 8, 66] at offset 64, row stride 528 bytes"
  std::string to_string() const;
};

}  // namespace deepinfer
