#include "backend/pjrt/stablehlo/lower.h"

#include "backend/pjrt/stablehlo/module_lowering.h"

namespace deepinfer::pjrt {

std::string_view name_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::value:
      return "value";
    case ParameterKind::weight:
      return "weight";
    case ParameterKind::scales:
      return "scales";
    case ParameterKind::root:
      return "root";
    case ParameterKind::column:
      return "column";
    case ParameterKind::offset:
      return "offset";
  }
  return "?";
}

std::string_view name_of(ResultKind kind) {
  switch (kind) {
    case ResultKind::value:
      return "value";
    case ResultKind::root:
      return "root";
    case ResultKind::derived:
      return "derived";
  }
  return "?";
}

LoweredModule lower_graph(const Graph& graph, const LowerOptions& options) {
  ModuleLowering lowering("step", graph, options);
  for (const Node& node : graph.nodes) lowering.add(node);
  std::vector<ValueId> outputs;
  for (const GraphOutput& output : graph.outputs) outputs.push_back(output.value);
  return lowering.finish(outputs);
}

LoweredModule lower_node(const Graph& graph, const Node& node, const LowerOptions& options) {
  // Called as the op's declaration calls them: nodes that are alike have the same text.
  std::map<ValueId, std::string> names;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const std::string name(operand_names(node.op)[i]);
    names.emplace(node.operands[i], name);
    for (const Node& other : graph.nodes)
      if (std::holds_alternative<CacheView>(other.op) && other.results.front() == node.operands[i])
        names.emplace(other.operands.front(), name + ".root");
  }
  for (std::size_t i = 0; i < node.results.size(); ++i)
    names.emplace(node.results[i], result_names(node.op)[i]);
  ModuleLowering lowering(name_of(node.op), graph, options, std::move(names));
  lowering.add(node);
  return lowering.finish(node.results);
}

LoweredModule lower_region(const Graph& graph, const RegionKind& kind, const RegionCall& call,
                           const LowerOptions& options) {
  std::map<ValueId, std::string> names;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    names.emplace(call.arguments[i], kind.graph->value(kind.arguments[i]).name);
  for (std::size_t i = 0; i < call.nodes.size(); ++i) {
    const Node& outer = graph.nodes[static_cast<std::size_t>(call.nodes[i])];
    const Node& inner = kind.graph->nodes[i];
    for (std::size_t k = 0; k < outer.results.size(); ++k)
      names.emplace(outer.results[k], kind.graph->value(inner.results[k]).name);
  }
  ModuleLowering lowering(kind.name, graph, options, std::move(names));
  for (const int node : call.nodes) lowering.add(graph.nodes[static_cast<std::size_t>(node)]);
  return lowering.finish(call.results);
}

}  // namespace deepinfer::pjrt
