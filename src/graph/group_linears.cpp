#include "graph/fuse.h"
#include "graph/rewrite.h"

namespace deepinfer {
namespace {

bool go_together(const Graph& graph, const Node& a, const Node& b) {
  return std::holds_alternative<Linear>(b.op) && std::get<Linear>(a.op) == std::get<Linear>(b.op) &&
         a.operands[0] == b.operands[0] &&
         graph.value(a.operands[1]).format == graph.value(b.operands[1]).format;
}

}  // namespace

Graph group_linears(const Graph& graph) {
  std::vector<bool> gone(graph.nodes.size());
  Graph result = graph;
  for (std::size_t first = 0; first < graph.nodes.size(); ++first) {
    const Node& linear = graph.nodes[first];
    if (gone[first] || !std::holds_alternative<Linear>(linear.op)) continue;
    Node group = linear;
    for (std::size_t other = first + 1;
         other < graph.nodes.size() && group.results.size() < LinearGroup::kMostWeights; ++other) {
      const Node& node = graph.nodes[other];
      if (gone[other] || !go_together(graph, linear, node)) continue;
      group.operands.push_back(node.operands[1]);
      group.results.push_back(node.results[0]);
      gone[other] = true;
    }
    if (group.results.size() < 2) continue;
    group.op = LinearGroup{.linear = std::get<Linear>(linear.op)};
    result.nodes[first] = std::move(group);
  }
  return compact(without_nodes(std::move(result), gone));
}

}  // namespace deepinfer
