#include <fmt/format.h>

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {

Val ModuleWriter::iota(Element type, const Dims& dims, std::size_t axis) {
  if (axis >= dims.size())
    throw ill_typed("iota", "counts along an axis that is not there",
                    fmt::format("less than {}", dims.size()), std::to_string(axis));
  return emit(type, dims,
              fmt::format("stablehlo.iota dim = {} : {}", axis, tensor_type(type, dims)));
}

Val ModuleWriter::reshape(const Val& a, const Dims& dims) {
  if (a.dims == dims) return a;
  if (a.elements() != elements_of(dims))
    throw ill_typed("reshape", "changes the number of elements", a.type_text(),
                    tensor_type(a.type, dims));
  return emit(a.type, dims,
              fmt::format("stablehlo.reshape {} : ({}) -> {}", ref(a), a.type_text(),
                          tensor_type(a.type, dims)));
}

Val ModuleWriter::broadcast(const Val& a, const Dims& dims, const std::vector<std::int64_t>& axes) {
  bool fits = axes.size() == a.dims.size();
  for (std::size_t i = 0; fits && i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    fits = axis < dims.size() && (a.dims[i] == dims[axis] || a.dims[i] == 1);
  }
  if (!fits)
    throw ill_typed("broadcast_in_dim", "does not fit along axes " + list_text(axes),
                    tensor_type(a.type, dims), a.type_text());
  if (a.dims == dims) return a;
  return emit(a.type, dims,
              fmt::format("stablehlo.broadcast_in_dim {}, dims = {} : ({}) -> {}", ref(a),
                          list_text(axes), a.type_text(), tensor_type(a.type, dims)));
}

Val ModuleWriter::slice(const Val& a, std::span<const Range> ranges) {
  require_rank("slice", a, ranges.size());
  std::string text;
  Dims dims;
  for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
    const Range& range = ranges[axis];
    if (range.begin < 0 || range.begin > range.end || range.end > a.dims[axis])
      throw ill_typed("slice", fmt::format("leaves axis {}", axis), a.type_text(),
                      fmt::format("{}:{}", range.begin, range.end));
    text += fmt::format("{}{}:{}", axis == 0 ? "" : ", ", range.begin, range.end);
    dims.push_back(range.end - range.begin);
  }
  if (dims == a.dims) return a;
  return emit(a.type, dims,
              fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", ref(a), text, a.type_text(),
                          tensor_type(a.type, dims)));
}

Val ModuleWriter::slice_axis(const Val& a, std::size_t axis, std::int64_t begin, std::int64_t end) {
  require_axis("slice", a, axis);
  std::vector<Range> ranges;
  for (const std::int64_t extent : a.dims) ranges.push_back({0, extent});
  ranges[axis] = {begin, end};
  return slice(a, ranges);
}

Val ModuleWriter::concatenate(std::span<const Val> parts, std::size_t axis) {
  if (parts.empty()) throw ill_typed("concatenate", "has no operands", "one", "none");
  if (parts.size() == 1) return parts.front();
  require_axis("concatenate", parts.front(), axis);
  Dims dims = parts.front().dims;
  dims[axis] = 0;
  std::string values;
  std::string types;
  for (const Val& part : parts) {
    require_type("concatenate", part, parts.front().type);
    require_rank("concatenate", part, dims.size());
    Dims expected = parts.front().dims;
    expected[axis] = part.dims[axis];
    require_dims("concatenate", part, expected);
    dims[axis] += part.dims[axis];
    values += (values.empty() ? "" : ", ") + ref(part);
    types += (types.empty() ? "" : ", ") + part.type_text();
  }
  return emit(parts.front().type, dims,
              fmt::format("stablehlo.concatenate {}, dim = {} : ({}) -> {}", values, axis, types,
                          tensor_type(parts.front().type, dims)));
}

Val ModuleWriter::pad_axis(const Val& a, std::size_t axis, std::int64_t extent, const Val& with) {
  require_axis("pad", a, axis);
  require_dims("pad", with, {});
  require_type("pad", with, a.type);
  if (extent == a.dims[axis]) return a;
  if (extent < a.dims[axis])
    throw ill_typed("pad", "would cut", a.type_text(), std::to_string(extent));
  std::vector<std::int64_t> none(a.dims.size(), 0);
  std::vector<std::int64_t> high = none;
  high[axis] = extent - a.dims[axis];
  Dims dims = a.dims;
  dims[axis] = extent;
  return emit(
      a.type, dims,
      fmt::format("stablehlo.pad {}, {}, low = {}, high = {}, interior = {} : ({}, {}) -> {}",
                  ref(a), ref(with), list_text(none), list_text(high), list_text(none),
                  a.type_text(), with.type_text(), tensor_type(a.type, dims)));
}

Val ModuleWriter::transpose(const Val& a, const std::vector<std::int64_t>& permutation) {
  require_rank("transpose", a, permutation.size());
  Dims dims;
  std::vector<bool> seen(a.dims.size(), false);
  for (const std::int64_t axis : permutation) {
    require_axis("transpose", a, static_cast<std::size_t>(axis));
    if (seen[static_cast<std::size_t>(axis)])
      throw ill_typed("transpose", "names an axis twice", "a permutation", list_text(permutation));
    seen[static_cast<std::size_t>(axis)] = true;
    dims.push_back(a.dims[static_cast<std::size_t>(axis)]);
  }
  return emit(a.type, dims,
              fmt::format("stablehlo.transpose {}, dims = {} : ({}) -> {}", ref(a),
                          list_text(permutation), a.type_text(), tensor_type(a.type, dims)));
}

}  // namespace deepinfer::pjrt
