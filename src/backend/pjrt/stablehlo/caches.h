#pragma once

// Cache views inside a module.
//
// A root (or a column with an allocation of its own) is ui8 [rows, width]: rows of blocks or slots
// where every view of the root steps by one row, else one row of all bytes. Element [row, inner] of
// a view lies at a byte address that is computed from data; addresses are always in range. A view's
// offset is a value, so that one program can serve every layer.

#include "backend/pjrt/stablehlo/module_writer.h"
#include "graph/graph.h"

namespace deepinfer::pjrt {

/// Extents of a root's buffer.
struct RootDims {
  std::int64_t rows = 1;
  std::int64_t width = 0;
  bool by_rows = false;  ///< a view's row is a row of the buffer

  Dims dims() const { return {rows, width}; }
  /// i32 unless a byte's address does not fit.
  Element index_type() const;
};

/// From all views of the root in `graph`.
RootDims root_dims(const Graph& graph, ValueId root);

struct CacheVal {
  Val storage;  ///< the root's bytes as they are now: ui8 [rows, width]
  RootDims root;
  Val offset;  ///< scalar of root.index_type()
  std::int64_t row_bytes = 0;
  Shape shape;  ///< of the view
  DType dtype = DType::u8;

  std::int64_t column_bytes() const;
};

/// Where byte `inner` of view row `row` lies (i32 […] both): starts […, 2] for windows.
Val starts_of(ModuleWriter& w, const CacheVal& cache, const Val& row, const Val& inner);
/// `bytes` bytes from there on: ui8 […, bytes].
Val read_records(ModuleWriter& w, const CacheVal& cache, const Val& row, const Val& inner,
                 std::int64_t bytes);
/// The root's bytes with records ui8 [n, bytes] written at (row, inner), i32 [n] each, for those i
/// with `writes`[i] (i1 [n]); the others leave no trace. An op that also reads the root must let
/// `records` depend on what it made of that: an unordered read makes a compiler copy the root.
Val write_records(ModuleWriter& w, const CacheVal& cache, const Val& row, const Val& inner,
                  const Val& writes, const Val& records);

/// Bytes of entries `index` (i32 [n, k], not negative where it matters) of the sequences in `slots`
/// (i32 [n]) in a block cache with `block_table` (i32 [slots, blocks of a sequence]).
Val read_entries(ModuleWriter& w, const CacheVal& cache, const Val& block_table, const Val& slots,
                 const Val& index);
/// i32 `index` held inside [0, count).
Val clamp_index(ModuleWriter& w, const Val& index, std::int64_t count);

}  // namespace deepinfer::pjrt
