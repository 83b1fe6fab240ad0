#include <fmt/format.h>

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

/// "0, 1, …, n - 1" moved up by `first`.
std::string axes_from(std::size_t first, std::size_t count) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(first + i));
  return list_text(axes);
}

Dims joined(Dims front, const Dims& back, std::size_t skipped) {
  front.insert(front.end(), back.begin() + static_cast<std::ptrdiff_t>(skipped), back.end());
  return front;
}

}  // namespace

Val ModuleWriter::gather_rows(const Val& table, const Val& index) {
  require_axis("gather", table, 0);
  if (is_float(index.type) || index.type == Element::i1)
    throw ill_typed("gather", "has indices that are no integers", "i32", index.type_text());
  const Dims dims = joined(index.dims, table.dims, 1);
  Dims sizes = table.dims;
  sizes[0] = 1;
  return emit(
      table.type, dims,
      fmt::format("\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<"
                  "offset_dims = {}, collapsed_slice_dims = [0], start_index_map = [0], "
                  "index_vector_dim = {}>, slice_sizes = array<i64: {}>}}> : ({}, {}) -> {}",
                  ref(table), ref(index), axes_from(index.dims.size(), table.dims.size() - 1),
                  index.dims.size(), fmt::join(sizes, ", "), table.type_text(), index.type_text(),
                  tensor_type(table.type, dims)));
}

Val ModuleWriter::gather_windows(const Val& a, const Val& starts, std::int64_t width) {
  require_rank("gather", a, 2);
  if (starts.dims.empty() || starts.dims.back() != 2 || width > a.dim(1))
    throw ill_typed("gather", "has no windows that fit", "[…, 2] starts of windows inside a row",
                    starts.type_text());
  Dims dims = starts.dims;
  dims.back() = width;
  const std::size_t batch = dims.size() - 1;
  return emit(
      a.type, dims,
      fmt::format("\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<"
                  "offset_dims = [{}], collapsed_slice_dims = [0], start_index_map = [0, 1], "
                  "index_vector_dim = {}>, slice_sizes = array<i64: 1, {}>}}> : ({}, {}) -> {}",
                  ref(a), ref(starts), batch, batch, width, a.type_text(), starts.type_text(),
                  tensor_type(a.type, dims)));
}

Val ModuleWriter::scatter_windows(const Val& a, const Val& starts, const Val& updates) {
  require_rank("scatter", a, 2);
  require_rank("scatter", updates, 2);
  require_dims("scatter", starts, {updates.dim(0), 2});
  require_type("scatter", updates, a.type);
  if (updates.dim(1) > a.dim(1))
    throw ill_typed("scatter", "has windows wider than a row", a.type_text(), updates.type_text());
  const Val old{.id = new_id(), .type = a.type, .dims = {}};
  const Val fresh{.id = new_id(), .type = a.type, .dims = {}};
  return emit(
      a.type, a.dims,
      fmt::format(
          "\"stablehlo.scatter\"({0}, {1}, {2}) <{{scatter_dimension_numbers = "
          "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
          "scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}}> ({{ ^bb0({3}: {5}, {4}: "
          "{5}): stablehlo.return {4} : {5} }}) : ({6}, {7}, {8}) -> {6}",
          ref(a), ref(starts), ref(updates), ref(old), ref(fresh), old.type_text(), a.type_text(),
          starts.type_text(), updates.type_text()));
}

Val ModuleWriter::dynamic_slice(const Val& a, std::span<const Val> starts, const Dims& sizes) {
  require_rank("dynamic_slice", a, starts.size());
  require_rank("dynamic_slice", a, sizes.size());
  std::string values;
  std::string types;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] > a.dims[axis])
      throw ill_typed("dynamic_slice", "is larger than its operand", a.type_text(),
                      tensor_type(a.type, sizes));
    require_dims("dynamic_slice", starts[axis], {});
    values += ", " + ref(starts[axis]);
    types += ", " + starts[axis].type_text();
  }
  return emit(a.type, sizes,
              fmt::format("stablehlo.dynamic_slice {}{}, sizes = {} : ({}{}) -> {}", ref(a), values,
                          list_text(sizes), a.type_text(), types, tensor_type(a.type, sizes)));
}

Val ModuleWriter::dynamic_update_slice(const Val& a, const Val& update,
                                       std::span<const Val> starts) {
  require_rank("dynamic_update_slice", a, starts.size());
  require_rank("dynamic_update_slice", update, starts.size());
  require_type("dynamic_update_slice", update, a.type);
  std::string values;
  std::string types;
  for (std::size_t axis = 0; axis < starts.size(); ++axis) {
    if (update.dims[axis] > a.dims[axis])
      throw ill_typed("dynamic_update_slice", "is larger than its operand", a.type_text(),
                      update.type_text());
    require_dims("dynamic_update_slice", starts[axis], {});
    values += ", " + ref(starts[axis]);
    types += ", " + starts[axis].type_text();
  }
  return emit(
      a.type, a.dims,
      fmt::format("stablehlo.dynamic_update_slice {}, {}{} : ({}, {}{}) -> {}", ref(a), ref(update),
                  values, a.type_text(), update.type_text(), types, a.type_text()));
}

Val ModuleWriter::take(const Val& a, const Val& start, std::int64_t count) {
  std::vector<Val> starts(a.dims.size(), constant(start.type, 0));
  require_axis("dynamic_slice", a, 0);
  starts[0] = start;
  Dims sizes = a.dims;
  sizes[0] = count;
  return dynamic_slice(a, starts, sizes);
}

Val ModuleWriter::put(const Val& a, const Val& update, const Val& start) {
  std::vector<Val> starts(a.dims.size(), constant(start.type, 0));
  require_axis("dynamic_update_slice", a, 0);
  starts[0] = start;
  return dynamic_update_slice(a, update, starts);
}

}  // namespace deepinfer::pjrt
