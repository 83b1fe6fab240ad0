#include "graph/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "deepinfer/error.h"
#include "graph/verify.h"

namespace deepinfer {

GraphBuilder::GraphBuilder(int rows) { graph_.rows = rows; }

ValueId GraphBuilder::add_value(Value value) {
  const auto id = static_cast<ValueId>(graph_.values.size());
  // The same op may run twice at one place (two norms of one vector): later names get a number.
  std::string name = value.name;
  for (int copy = 2; by_name_.contains(name); ++copy) name = fmt::format("{}.{}", value.name, copy);
  value.name = name;
  by_name_.emplace(std::move(name), id);
  graph_.values.push_back(std::move(value));
  return id;
}

std::string GraphBuilder::scoped(std::string_view name) const {
  return scope_.empty() ? std::string(name) : fmt::format("{}.{}", scope_, name);
}

ValueId GraphBuilder::metadata(std::string_view name, DType dtype, const Shape& shape) {
  return add_value({.name = std::string(name),
                    .kind = ValueKind::metadata,
                    .dtype = dtype,
                    .shape = shape,
                    .format = {},
                    .tensor_names = {}});
}

ValueId GraphBuilder::derived(std::string_view name, DType dtype, const Shape& shape) {
  const ValueId id = metadata(name, dtype, shape);
  graph_.values[static_cast<std::size_t>(id)].derived = true;
  return id;
}

ValueId GraphBuilder::root(std::string_view name, std::int64_t bytes) {
  return add_value({.name = std::string(name),
                    .kind = ValueKind::root,
                    .dtype = DType::u8,
                    .shape = {bytes},
                    .format = {},
                    .tensor_names = {}});
}

ValueId GraphBuilder::weight(std::string_view name, WeightFormat format, const Shape& shape) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    const Value& value = graph_.value(known->second);
    if (value.kind != ValueKind::weight || value.format != format || !(value.shape == shape))
      throw Error::bad_input(
          "graph builder", fmt::format("weight '{}' is used in two ways", name),
          {.expected = value.shape.to_string(), .got = shape.to_string(), .hint = {}});
    return known->second;
  }
  return add_value({.name = std::string(name),
                    .kind = ValueKind::weight,
                    .dtype = DType::f32,
                    .shape = shape,
                    .format = format,
                    .tensor_names = {std::string(name)}});
}

ValueId GraphBuilder::weight_bank(std::string_view prefix, std::string_view suffix,
                                  WeightFormat format, const Shape& shape) {
  Value value{.name = fmt::format("{}*{}", prefix, suffix),
              .kind = ValueKind::weight,
              .dtype = DType::f32,
              .shape = shape,
              .format = format,
              .tensor_names = {}};
  value.tensor_names.reserve(static_cast<std::size_t>(shape[0]));
  for (std::int64_t expert = 0; expert < shape[0]; ++expert)
    value.tensor_names.push_back(fmt::format("{}{}{}", prefix, expert, suffix));
  return add_value(std::move(value));
}

ValueId GraphBuilder::add(Op op, std::vector<ValueId> operands, std::string_view name) {
  const std::vector<ValueId> results = add_all(std::move(op), std::move(operands), {name});
  return results.empty() ? -1 : results.front();
}

std::vector<ValueId> GraphBuilder::add_all(Op op, std::vector<ValueId> operands,
                                           std::initializer_list<std::string_view> names) {
  Node node{.op = std::move(op), .place = scope_, .operands = std::move(operands), .results = {}};
  const std::vector<ResultType> types = infer_node(graph_, node);
  if (types.size() > names.size())
    throw Error::bad_input("graph builder",
                           fmt::format("op {} has unnamed results", name_of(node.op)),
                           {.expected = std::to_string(types.size()),
                            .got = std::to_string(names.size()),
                            .hint = {}});
  const bool is_view = std::holds_alternative<CacheView>(node.op);
  auto name = names.begin();
  for (const ResultType& type : types) {
    node.results.push_back(add_value({.name = scoped(*name++),
                                      .kind = is_view ? ValueKind::view : ValueKind::intermediate,
                                      .dtype = type.dtype,
                                      .shape = type.shape,
                                      .format = {},
                                      .tensor_names = {}}));
  }
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().results;
}

void GraphBuilder::output(std::string_view name, ValueId value) {
  graph_.outputs.push_back({std::string(name), value});
}

GraphBuilder::Scope::Scope(GraphBuilder& builder, std::string_view name)
    : builder_(builder), outer_length_(builder.scope_.size()) {
  builder.scope_ = builder.scoped(name);
}

GraphBuilder::Scope::~Scope() { builder_.scope_.resize(outer_length_); }

Graph GraphBuilder::finish() {
  verify(graph_);
  by_name_.clear();
  return std::move(graph_);
}

}  // namespace deepinfer
