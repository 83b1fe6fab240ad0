#include "runner/observed_graph.h"

#include <algorithm>

#include "graph/regions.h"

namespace deepinfer {

std::size_t ObservedCapture::most_ops() const {
  std::size_t most = 0;
  for (const ObservedGraph& graph : graphs) most = std::max(most, graph.ops.size());
  return most;
}

std::size_t ObservedCapture::most_regions() const {
  std::size_t most = 0;
  for (const ObservedGraph& graph : graphs) most = std::max(most, graph.regions.size());
  return most;
}

ObservedGraph observe_graph(const Graph& graph, const PlainDType& plain_dtype) {
  ObservedGraph observed{.rows = graph.rows, .ops = {}, .regions = {}, .kinds = {}};
  observed.ops.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes)
    observed.ops.push_back({.place = node.place.empty() ? "model" : node.place,
                            .name = std::string(name_of(node.op)),
                            .cost = op_cost(graph, node, plain_dtype),
                            .reads = op_reads(graph, node, plain_dtype),
                            .region = -1});
  const RegionPlan plan = plan_regions(graph);
  observed.kinds.reserve(plan.kinds.size());
  for (const RegionKind& kind : plan.kinds) observed.kinds.push_back(kind.name);
  observed.regions.reserve(plan.calls.size());
  for (const RegionCall& call : plan.calls) {
    for (const int node : call.nodes)
      observed.ops[static_cast<std::size_t>(node)].region =
          static_cast<int>(observed.regions.size());
    observed.regions.push_back({.kind = call.kind, .place = call.place});
  }
  return observed;
}

}  // namespace deepinfer
