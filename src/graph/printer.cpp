#include "graph/printer.h"

#include <fmt/format.h>

namespace deepinfer {
namespace {

/// "%name" of a computed value, "$name" of metadata and roots, "@name" of a weight with its type.
std::string reference(const Value& value, std::string_view place) {
  // Inside its own place a value goes by its last name: "%q" rather than "%layers.0.attn.q".
  std::string_view name = value.name;
  switch (value.kind) {
    case ValueKind::weight:
      return fmt::format("@{}: {}{}", name, name_of(value.format), value.shape.to_string());
    case ValueKind::metadata:
    case ValueKind::root:
      return fmt::format("${}", name);
    case ValueKind::view:
    case ValueKind::intermediate:
      if (!place.empty() && name.starts_with(place) && name.size() > place.size() &&
          name[place.size()] == '.')
        name.remove_prefix(place.size() + 1);
      return fmt::format("%{}", name);
  }
  return {};
}

std::string node_text(const Graph& graph, const Node& node) {
  std::string text;
  for (const ValueId id : node.results) {
    const Value& value = graph.value(id);
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : ", ", reference(value, node.place),
                        name_of(value.dtype), value.shape.to_string());
  }
  if (!text.empty()) text += " = ";
  text += name_of(node.op);
  text += '(';
  for (std::size_t index = 0; index < node.operands.size(); ++index)
    text += (index == 0 ? "" : ", ") + reference(graph.value(node.operands[index]), node.place);
  text += ')';
  const AttributeList list = attributes(node.op);
  if (!list.entries().empty()) {
    text += " {";
    for (std::size_t index = 0; index < list.entries().size(); ++index)
      text += fmt::format("{}{}={}", index == 0 ? "" : ", ", list.entries()[index].first,
                          list.entries()[index].second);
    text += '}';
  }
  return text;
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text = fmt::format("graph of {} rows, {} ops\n", graph.rows, graph.nodes.size());
  for (const Value& value : graph.values)
    if (value.kind == ValueKind::metadata || value.kind == ValueKind::root)
      text +=
          fmt::format("  {}{} ${}: {}{}\n", value.derived ? "derived " : "", name_of(value.kind),
                      value.name, name_of(value.dtype), value.shape.to_string());
  std::string_view place = "\n";  // differs from every place, the empty one included
  for (const Node& node : graph.nodes) {
    if (node.place != place) {
      place = node.place;
      text += place.empty() ? "model:\n" : fmt::format("{}:\n", place);
    }
    text += "  " + node_text(graph, node) + '\n';
  }
  for (const GraphOutput& output : graph.outputs)
    text += fmt::format("output {} = %{}\n", output.name, graph.value(output.value).name);
  return text;
}

}  // namespace deepinfer
