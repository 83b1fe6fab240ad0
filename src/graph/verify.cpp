#include "graph/verify.h"

#include <fmt/format.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

[[noreturn]] void fail(const Node& node, std::string_view what, const std::string& expected,
                       const std::string& got) {
  throw Error::bad_input(fmt::format("graph op {} at {}", name_of(node.op), node.place), what,
                         {.expected = expected, .got = got, .hint = {}});
}

bool exists(const Graph& graph, ValueId id) {
  return id >= 0 && static_cast<std::size_t>(id) < graph.values.size();
}

/// Whether the value is there before the graph runs.
bool is_given(const Value& value) {
  return value.argument || (value.kind == ValueKind::metadata && !value.derived) ||
         value.kind == ValueKind::weight || value.kind == ValueKind::root;
}

void verify_results(const Graph& graph, const Node& node, std::vector<bool>& made) {
  const std::vector<ResultType> types = infer_node(graph, node);
  if (types.size() != node.results.size())
    fail(node, "has the wrong number of results", std::to_string(types.size()),
         std::to_string(node.results.size()));
  for (std::size_t index = 0; index < types.size(); ++index) {
    const ValueId id = node.results[index];
    if (!exists(graph, id))
      fail(node, "makes a value that does not exist", "a value id", std::to_string(id));
    const Value& value = graph.value(id);
    if (is_given(value) || value.derived || made[static_cast<std::size_t>(id)])
      fail(node, fmt::format("makes '{}' a second time", value.name), "one maker", "two");
    made[static_cast<std::size_t>(id)] = true;
    if (value.dtype != types[index].dtype || !(value.shape == types[index].shape))
      fail(node, fmt::format("result '{}' differs from what the op infers", value.name),
           fmt::format("{}{}", name_of(types[index].dtype), types[index].shape.to_string()),
           fmt::format("{}{}", name_of(value.dtype), value.shape.to_string()));
  }
}

/// Only cache views and derived metadata may be written, the latter once.
void verify_written(const Graph& graph, const Node& node, std::vector<bool>& made) {
  const int written = written_operand(node.op);
  if (written < 0) return;
  const ValueId id = node.operands[static_cast<std::size_t>(written)];
  const Value& value = graph.value(id);
  if (value.kind == ValueKind::view) return;
  if (!value.derived)
    fail(node, fmt::format("writes '{}'", value.name), "a cache view or derived metadata",
         std::string(name_of(value.kind)));
  if (made[static_cast<std::size_t>(id)])
    fail(node, fmt::format("writes '{}' a second time", value.name), "one writer", "two");
  made[static_cast<std::size_t>(id)] = true;
}

}  // namespace

std::vector<ResultType> infer_node(const Graph& graph, const Node& node) {
  const auto names = operand_names(node.op);
  const std::size_t most = names.size();
  const std::size_t least = most - static_cast<std::size_t>(optional_operands(node.op));
  if (node.operands.size() < least || node.operands.size() > most)
    fail(node, "has the wrong number of operands",
         least == most ? std::to_string(most) : fmt::format("{} to {}", least, most),
         std::to_string(node.operands.size()));
  std::vector<const Value*> operands;
  operands.reserve(node.operands.size());
  for (const ValueId id : node.operands) {
    if (!exists(graph, id))
      fail(node, fmt::format("operand '{}' does not exist", names[operands.size()]), "a value id",
           std::to_string(id));
    operands.push_back(&graph.value(id));
  }
  return infer(node.op, OperandTypes(name_of(node.op), node.place, names, operands));
}

void verify(const Graph& graph) {
  std::vector<bool> made(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    for (std::size_t index = 0; index < node.operands.size(); ++index) {
      const ValueId id = node.operands[index];
      if (!exists(graph, id) || is_given(graph.value(id)) || made[static_cast<std::size_t>(id)])
        continue;
      if (graph.value(id).derived && static_cast<int>(index) == written_operand(node.op)) continue;
      fail(node, fmt::format("reads '{}' before it is made", graph.value(id).name), "an earlier op",
           "none");
    }
    verify_results(graph, node, made);
    verify_written(graph, node, made);
  }
  for (const GraphOutput& output : graph.outputs)
    if (!exists(graph, output.value) || graph.value(output.value).kind != ValueKind::intermediate ||
        !made[static_cast<std::size_t>(output.value)])
      throw Error::bad_input("graph",
                             fmt::format("output '{}' is not the result of an op", output.name));
}

}  // namespace deepinfer
