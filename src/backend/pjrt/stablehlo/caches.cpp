#include "backend/pjrt/stablehlo/caches.h"

#include <array>
#include <limits>

#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

/// Number of the first true flag; how many there are if none is.
Val first_true(ModuleWriter& w, const Val& flags) {
  const Val at = w.iota(Element::i32, flags.dims, 0);
  return w.reduce("minimum", w.select(flags, at, w.i32(flags.dim(0), flags.dims)), 0);
}

}  // namespace

Element RootDims::index_type() const {
  return rows * width <= std::numeric_limits<std::int32_t>::max() || by_rows ? Element::i32
                                                                             : Element::i64;
}

RootDims root_dims(const Graph& graph, ValueId root) {
  const std::int64_t bytes = graph.value(root).shape[0];
  std::int64_t row_bytes = 0;
  bool by_rows = true;
  for (const Node& node : graph.nodes) {
    const auto* view = std::get_if<CacheView>(&node.op);
    if (view == nullptr || node.operands.front() != root) continue;
    const ViewRecipe& recipe = view->recipe;
    if (row_bytes == 0) row_bytes = recipe.row_bytes;
    by_rows = by_rows && recipe.row_bytes == row_bytes &&
              recipe.offset + recipe.column_bytes() <= row_bytes;
  }
  if (by_rows && row_bytes > 0 && bytes % row_bytes == 0)
    return {.rows = bytes / row_bytes, .width = row_bytes, .by_rows = true};
  return {.rows = 1, .width = bytes, .by_rows = false};
}

std::int64_t CacheVal::column_bytes() const {
  return shape.elements() / shape[0] * static_cast<std::int64_t>(size_of(dtype));
}

Val clamp_index(ModuleWriter& w, const Val& index, std::int64_t count) {
  return w.min(w.max(index, 0.0), static_cast<double>(count - 1));
}

Val starts_of(ModuleWriter& w, const CacheVal& cache, const Val& row, const Val& inner) {
  require_dims("cache", inner, row.dims);
  const Element type = cache.root.index_type();
  const Val offset = cache.offset;
  const Val byte = w.add(w.convert(inner, type), offset);
  Val line = w.convert(row, type);
  Val column = byte;
  if (!cache.root.by_rows) {
    column = w.add(w.mul(line, static_cast<double>(cache.row_bytes)), byte);
    line = w.constant(type, 0, row.dims);
  }
  Dims dims = row.dims;
  dims.push_back(1);
  const std::array<Val, 2> parts = {w.reshape(line, dims), w.reshape(column, dims)};
  return w.concatenate(parts, dims.size() - 1);
}

Val read_records(ModuleWriter& w, const CacheVal& cache, const Val& row, const Val& inner,
                 std::int64_t bytes) {
  return w.gather_windows(cache.storage, starts_of(w, cache, row, inner), bytes);
}

Val write_records(ModuleWriter& w, const CacheVal& cache, const Val& row, const Val& inner,
                  const Val& writes, const Val& records) {
  // Every update must name a place. Rows that write nothing repeat the first row that does, byte
  // for byte; where none does, all put back what one place holds.
  const std::int64_t n = records.dim(0);
  const Val first = first_true(w, writes);
  const Val any = w.compare("LT", first, static_cast<double>(n));
  const Val stand_in = clamp_index(w, first, n);
  const Val source = w.select(writes, w.iota(Element::i32, {n}, 0), w.broadcast(stand_in, {n}, {}));
  const Val starts = w.gather_rows(starts_of(w, cache, row, inner), source);
  const Val fresh = w.gather_rows(records, source);
  const Val place = w.slice_axis(starts, 0, 0, 1);
  const Val old = w.gather_windows(cache.storage, place, records.dim(1));
  const Val kept = w.broadcast(old, records.dims, {0, 1});
  const Val updates = w.select(w.broadcast(any, records.dims, {}), fresh, kept);
  return w.scatter_windows(cache.storage, starts, updates);
}

Val read_entries(ModuleWriter& w, const CacheVal& cache, const Val& block_table, const Val& slots,
                 const Val& index) {
  const std::int64_t entries = cache.shape[1];
  const std::int64_t record = cache.shape[2];
  const std::int64_t most = block_table.dim(1);
  const std::int64_t n = index.dim(0);
  const std::int64_t k = index.dim(1);
  const Val tables = w.gather_rows(block_table, clamp_index(w, slots, block_table.dim(0)));
  const Val at = clamp_index(w, index, most * entries);
  const Val number = w.binary("divide", at, static_cast<double>(entries));
  const Val within = w.binary("remainder", at, static_cast<double>(entries));
  // tables [n, most] at number [n, k], as one list.
  const Val line = w.mul(w.iota(Element::i32, {n, k}, 0), static_cast<double>(most));
  const Val block = w.gather_rows(w.reshape(tables, {n * most}), w.add(line, number));
  return read_records(w, cache, clamp_index(w, block, cache.shape[0]),
                      w.mul(within, static_cast<double>(record)), record);
}

}  // namespace deepinfer::pjrt
