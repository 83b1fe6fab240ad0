// Reductions, products, sorting and loops.

#include <fmt/format.h>

#include <limits>

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

/// Extents of `value` that are in neither list.
Dims free_extents(const Val& value, const std::vector<std::int64_t>& one,
                  const std::vector<std::int64_t>& other) {
  Dims left;
  for (std::size_t axis = 0; axis < value.dims.size(); ++axis) {
    bool named = false;
    for (const std::vector<std::int64_t>* list : {&one, &other})
      for (const std::int64_t number : *list) named |= number == static_cast<std::int64_t>(axis);
    if (!named) left.push_back(value.dims[axis]);
  }
  return left;
}

void require_pairs(const Val& a, const Val& b, const std::vector<std::int64_t>& axes_a,
                   const std::vector<std::int64_t>& axes_b) {
  if (axes_a.size() != axes_b.size())
    throw ill_typed("dot_general", "pairs different numbers of axes", list_text(axes_a),
                    list_text(axes_b));
  for (std::size_t i = 0; i < axes_a.size(); ++i) {
    require_axis("dot_general", a, static_cast<std::size_t>(axes_a[i]));
    require_axis("dot_general", b, static_cast<std::size_t>(axes_b[i]));
    if (a.dims[static_cast<std::size_t>(axes_a[i])] != b.dims[static_cast<std::size_t>(axes_b[i])])
      throw ill_typed("dot_general", "pairs axes of different extents", a.type_text(),
                      b.type_text());
  }
}

}  // namespace

Val ModuleWriter::reduce_identity(std::string_view op, Element type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (op == "and") return constant(type, 1);
  if (op == "maximum")
    return constant(type, is_float(type) ? -kInfinity : std::numeric_limits<std::int32_t>::min());
  if (op == "minimum")
    return constant(type, is_float(type) ? kInfinity : std::numeric_limits<std::int32_t>::max());
  return constant(type, 0);
}

Val ModuleWriter::reduce(std::string_view op, const Val& a, std::size_t axis) {
  require_axis("reduce", a, axis);
  if (a.type != Element::i1 || types_.reduces_flags) return reduce_as(op, a, axis);
  const std::string_view of_numbers = op == "or" ? "maximum" : op == "and" ? "minimum" : op;
  return compare("GT", reduce_as(of_numbers, convert(a, Element::f32), axis), 0.0);
}

Val ModuleWriter::reduce_as(std::string_view op, const Val& a, std::size_t axis) {
  Dims dims = a.dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  const Val init = reduce_identity(op, a.type);
  return emit(a.type, dims,
              fmt::format("stablehlo.reduce({} init: {}) applies stablehlo.{} across dimensions = "
                          "[{}] : ({}, {}) -> {}",
                          ref(a), ref(init), op, axis, a.type_text(), init.type_text(),
                          tensor_type(a.type, dims)));
}

Val ModuleWriter::dot(const Val& a, const Val& b, const std::vector<std::int64_t>& contract_a,
                      const std::vector<std::int64_t>& contract_b,
                      const std::vector<std::int64_t>& batch_a,
                      const std::vector<std::int64_t>& batch_b) {
  require_type("dot_general", a, Element::f32);
  require_type("dot_general", b, Element::f32);
  require_pairs(a, b, contract_a, contract_b);
  require_pairs(a, b, batch_a, batch_b);
  Dims dims;
  for (const std::int64_t axis : batch_a) dims.push_back(a.dims[static_cast<std::size_t>(axis)]);
  for (const std::int64_t extent : free_extents(a, contract_a, batch_a)) dims.push_back(extent);
  for (const std::int64_t extent : free_extents(b, contract_b, batch_b)) dims.push_back(extent);
  std::string batching;
  if (!batch_a.empty())
    batching = fmt::format("batching_dims = {} x {}, ", list_text(batch_a), list_text(batch_b));
  // HIGHEST: devices with a faster, coarser product must not take it.
  return emit(Element::f32, dims,
              fmt::format("stablehlo.dot_general {}, {}, {}contracting_dims = {} x {}, precision = "
                          "[HIGHEST, HIGHEST] : ({}, {}) -> {}",
                          ref(a), ref(b), batching, list_text(contract_a), list_text(contract_b),
                          a.type_text(), b.type_text(), tensor_type(Element::f32, dims)));
}

std::vector<Val> ModuleWriter::sort(std::string_view direction,
                                    std::span<const Val> keys_and_others) {
  if (keys_and_others.empty()) throw ill_typed("sort", "has no operands", "one", "none");
  const Val& keys = keys_and_others.front();
  require_axis("sort", keys, 0);
  std::string values;
  std::string types;
  std::string arguments;
  std::string scalars;
  for (const Val& operand : keys_and_others) {
    require_dims("sort", operand, keys.dims);
    const std::string scalar = tensor_type(operand.type, {});
    const Val one{.id = new_id(), .type = operand.type, .dims = {}};
    const Val other{.id = new_id(), .type = operand.type, .dims = {}};
    if (arguments.empty())
      scalars = fmt::format("{}, {}, {} : ({}, {})", ref(one), ref(other),
                            is_float(operand.type) ? "FLOAT" : "SIGNED", scalar, scalar);
    arguments += fmt::format("{}{}: {}, {}: {}", arguments.empty() ? "" : ", ", ref(one), scalar,
                             ref(other), scalar);
    values += (values.empty() ? "" : ", ") + ref(operand);
    types += (types.empty() ? "" : ", ") + operand.type_text();
  }
  const Val order{.id = new_id(), .type = Element::i1, .dims = {}};
  const std::size_t count = keys_and_others.size();
  const Val base{.id = new_id(), .type = keys.type, .dims = keys.dims};
  line(
      fmt::format("{}{} = \"stablehlo.sort\"({}) <{{dimension = {} : i64, is_stable = true}}> ({{ "
                  "^bb0({}): {} = stablehlo.compare {}, {} -> tensor<i1> stablehlo.return {} : "
                  "tensor<i1> }}) : ({}) -> {}",
                  ref(base), count == 1 ? "" : fmt::format(":{}", count), values,
                  keys.dims.size() - 1, arguments, ref(order), direction, scalars, ref(order),
                  types, count == 1 ? types : "(" + types + ")"));
  std::vector<Val> sorted;
  for (std::size_t i = 0; i < count; ++i)
    sorted.push_back({.id = base.id,
                      .type = keys_and_others[i].type,
                      .dims = keys.dims,
                      .part = count == 1 ? -1 : static_cast<int>(i)});
  return sorted;
}

Val ModuleWriter::held_until(const Val& a, const Val& value) {
  if (!types_.barriers) return a;
  const Val held{.id = new_id(), .type = a.type, .dims = a.dims, .part = 0};
  Val base = held;
  base.part = -1;
  line(fmt::format("{}:2 = stablehlo.optimization_barrier {}, {} : {}, {}", ref(base), ref(a),
                   ref(value), a.type_text(), value.type_text()));
  return held;
}

std::vector<Val> ModuleWriter::loop(std::int64_t trips, std::span<const Val> carried,
                                    const Body& body) {
  const Val zero = i32(0);
  const Val one = i32(1);
  const Val count = i32(trips);
  const Val base{.id = new_id(), .type = Element::i32, .dims = {}};
  const Val i{.id = new_id(), .type = Element::i32, .dims = {}};
  std::string inits = fmt::format("{} = {}", ref(i), ref(zero));
  std::string types = "tensor<i32>";
  std::vector<Val> inner;
  std::vector<Val> results;
  for (const Val& value : carried) {
    inner.push_back({.id = new_id(), .type = value.type, .dims = value.dims});
    inits += fmt::format(", {} = {}", ref(inner.back()), ref(value));
    types += ", " + value.type_text();
    results.push_back({.id = base.id,
                       .type = value.type,
                       .dims = value.dims,
                       .part = static_cast<int>(results.size()) + 1});
  }
  line(
      fmt::format("{}:{} = stablehlo.while({}) : {}", ref(base), carried.size() + 1, inits, types));
  line("cond {");
  ++block_.depth;
  const Val more = compare("LT", i, count);
  line(fmt::format("stablehlo.return {} : tensor<i1>", ref(more)));
  --block_.depth;
  line("} do {");
  ++block_.depth;
  const std::vector<Val> next = body(i, inner);
  if (next.size() != carried.size())
    throw ill_typed("while", "carries another number of values", std::to_string(carried.size()),
                    std::to_string(next.size()));
  std::string values = ref(add(i, one));
  for (std::size_t k = 0; k < next.size(); ++k) {
    require_dims("while", next[k], carried[k].dims);
    require_type("while", next[k], carried[k].type);
    values += ", " + ref(next[k]);
  }
  line(fmt::format("stablehlo.return {} : {}", values, types));
  --block_.depth;
  line("}");
  return results;
}

}  // namespace deepinfer::pjrt
