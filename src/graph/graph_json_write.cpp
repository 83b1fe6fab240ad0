#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "deepinfer/error.h"
#include "graph/graph_json.h"

namespace deepinfer {
namespace {

using Json = nlohmann::ordered_json;

Json shape_json(const Shape& shape) {
  Json extents = Json::array();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) extents.push_back(shape[axis]);
  return extents;
}

/// The lists of rope frequencies of a graph, each once.
class FrequencyLists {
 public:
  std::size_t index_of(const Frequencies& list) {
    const auto known = std::find(lists_.begin(), lists_.end(), list);
    if (known != lists_.end()) return static_cast<std::size_t>(known - lists_.begin());
    lists_.push_back(list);
    return lists_.size() - 1;
  }
  Json json() const {
    Json all = Json::array();
    for (const Frequencies& list : lists_) all.push_back(*list);
    return all;
  }

 private:
  std::vector<Frequencies> lists_;
};

/// A visitor of op attributes.
class AttributeWriter {
 public:
  explicit AttributeWriter(FrequencyLists& frequencies) : frequencies_(frequencies) {}

  void operator()(std::string_view name, bool value) { set(name, value); }
  void operator()(std::string_view name, int value) { set(name, value); }
  void operator()(std::string_view name, std::int64_t value) { set(name, value); }
  void operator()(std::string_view name, float value) {
    if (!std::isfinite(value))
      throw Error::bad_input(
          "graph as JSON", fmt::format("attribute '{}' is no number", name),
          {.expected = "a finite value", .got = std::to_string(value), .hint = {}});
    set(name, value);  // the library writes the shortest text that reads back as the same double
  }
  void operator()(std::string_view name, const Shape& value) { set(name, shape_json(value)); }
  void operator()(std::string_view name, const Frequencies& value) {
    set(name, value == nullptr ? Json(nullptr) : Json(frequencies_.index_of(value)));
  }
  /// Enumerations by name.
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(std::string_view name, Enum value) { set(name, std::string(name_of(value))); }

  Json take() { return std::move(json_); }

 private:
  void set(std::string_view name, Json value) { json_[std::string(name)] = std::move(value); }

  FrequencyLists& frequencies_;
  Json json_ = Json::object();
};

Json value_json(const Value& value) {
  Json json = {{"name", value.name},
               {"kind", name_of(value.kind)},
               {"dtype", name_of(value.dtype)},
               {"shape", shape_json(value.shape)}};
  if (value.derived) json["derived"] = true;
  if (value.kind == ValueKind::weight) {
    json["format"] = name_of(value.format);
    json["tensor_names"] = value.tensor_names;
  }
  return json;
}

Json node_json(const Node& node, FrequencyLists& frequencies) {
  AttributeWriter attributes(frequencies);
  std::visit([&](const auto& op) { op.visit(op, attributes); }, node.op);
  return {{"op", name_of(node.op)},
          {"place", node.place},
          {"attributes", attributes.take()},
          {"operands", node.operands},
          {"results", node.results}};
}

}  // namespace

std::string to_json(const Graph& graph) {
  FrequencyLists frequencies;
  Json values = Json::array();
  for (const Value& value : graph.values) values.push_back(value_json(value));
  Json ops = Json::array();
  for (const Node& node : graph.nodes) ops.push_back(node_json(node, frequencies));
  Json outputs = Json::array();
  for (const GraphOutput& output : graph.outputs)
    outputs.push_back({{"name", output.name}, {"value", output.value}});
  const Json json = {{"rows", graph.rows},
                     {"frequencies", frequencies.json()},
                     {"values", std::move(values)},
                     {"ops", std::move(ops)},
                     {"outputs", std::move(outputs)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deepinfer
