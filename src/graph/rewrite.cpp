#include "graph/rewrite.h"

#include "graph/verify.h"

namespace deepinfer {

std::vector<int> count_readers(const Graph& graph) {
  std::vector<int> readers(graph.values.size());
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.operands) ++readers[static_cast<std::size_t>(id)];
  for (const GraphOutput& output : graph.outputs) ++readers[static_cast<std::size_t>(output.value)];
  return readers;
}

Graph without_nodes(Graph graph, const std::vector<bool>& gone) {
  std::vector<Node> kept;
  kept.reserve(graph.nodes.size());
  for (std::size_t index = 0; index < graph.nodes.size(); ++index)
    if (!gone[index]) kept.push_back(std::move(graph.nodes[index]));
  graph.nodes = std::move(kept);
  return graph;
}

Graph compact(Graph graph) {
  std::vector<bool> kept(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const ValueKind kind = graph.values[id].kind;
    kept[id] = kind != ValueKind::intermediate && kind != ValueKind::view;
  }
  for (const Node& node : graph.nodes)
    for (const ValueId id : node.results) kept[static_cast<std::size_t>(id)] = true;

  std::vector<ValueId> renumbered(graph.values.size(), -1);
  std::vector<Value> values;
  values.reserve(graph.values.size());
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    if (!kept[id]) continue;
    renumbered[id] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[id]));
  }
  graph.values = std::move(values);
  const auto renumber = [&](ValueId& id) { id = renumbered[static_cast<std::size_t>(id)]; };
  for (Node& node : graph.nodes) {
    for (ValueId& id : node.operands) renumber(id);
    for (ValueId& id : node.results) renumber(id);
  }
  for (GraphOutput& output : graph.outputs) renumber(output.value);
  verify(graph);
  return graph;
}

}  // namespace deepinfer
