// plan_region_memory: see regions.h.

#include "graph/regions.h"

namespace deepinfer {
namespace {

/// What one step of the plan reads and makes, in values of the step graph.
struct Edges {
  const std::vector<ValueId>& reads;
  const std::vector<ValueId>& makes;
};

Edges edges_of(const Graph& graph, const RegionPlan& regions, const RegionStep& step) {
  if (step.call >= 0) {
    const RegionCall& call = regions.calls[static_cast<std::size_t>(step.call)];
    return {call.arguments, call.results};
  }
  const Node& node = graph.nodes[static_cast<std::size_t>(step.node)];
  return {node.operands, node.results};
}

}  // namespace

RegionMemory plan_region_memory(const Graph& graph, const RegionPlan& regions,
                                const WorkspaceBytes& workspace_bytes) {
  RegionMemory memory;
  memory.kinds.reserve(regions.kinds.size());
  for (const RegionKind& kind : regions.kinds)
    memory.kinds.push_back(plan_memory(*kind.graph, workspace_bytes, OutputStorage::caller));

  memory.values.resize(graph.values.size());
  memory.scratch.resize(regions.steps.size());
  for (std::size_t index = 0; index < regions.steps.size(); ++index) {
    const RegionStep& step = regions.steps[index];
    const int now = static_cast<int>(index);
    const Edges edges = edges_of(graph, regions, step);
    for (const ValueId id : edges.makes)
      memory.values[static_cast<std::size_t>(id)] = {.offset = 0,
                                                     .bytes = align_up(graph.value(id).bytes()),
                                                     .first_node = now,
                                                     .last_node = now};
    for (const ValueId id : edges.reads)
      memory.values[static_cast<std::size_t>(id)].last_node = now;
    std::size_t scratch = 0;
    if (step.call >= 0)
      scratch = memory
                    .kinds[static_cast<std::size_t>(
                        regions.calls[static_cast<std::size_t>(step.call)].kind)]
                    .arena_bytes;
    else
      scratch = workspace_bytes(graph, graph.nodes[static_cast<std::size_t>(step.node)]);
    memory.scratch[index] = {
        .offset = 0, .bytes = align_up(scratch), .first_node = now, .last_node = now};
  }
  for (const GraphOutput& output : graph.outputs)
    memory.values[static_cast<std::size_t>(output.value)].last_node =
        static_cast<int>(regions.steps.size());

  std::vector<Placement*> blocks;
  for (std::vector<Placement>* list : {&memory.values, &memory.scratch})
    for (Placement& block : *list)
      if (block.bytes > 0) blocks.push_back(&block);
  memory.arena_bytes = place_blocks(std::move(blocks));
  return memory;
}

}  // namespace deepinfer
