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

}  // namespace deepinfer::pjrt
