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
  ModuleLowering lowering(name_of(node.op), graph, options);
  lowering.add(node);
  return lowering.finish(node.results);
}

}  // namespace deepinfer::pjrt
