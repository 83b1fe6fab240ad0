// Patterns of two ops, of which the second is the only reader of what the first makes.

#include "graph/fuse.h"
#include "graph/rewrite.h"

namespace deepinfer {
namespace {

/// Node that makes each value, by value id; -1 for given ones.
std::vector<int> makers_of(const Graph& graph) {
  std::vector<int> makers(graph.values.size(), -1);
  for (std::size_t index = 0; index < graph.nodes.size(); ++index)
    for (const ValueId id : graph.nodes[index].results)
      makers[static_cast<std::size_t>(id)] = static_cast<int>(index);
  return makers;
}

/// Replaces every `Second` whose operand 0 is made by a `First` for it alone with
/// join(first, second), in the place of the second.
template <typename First, typename Second, typename Join>
Graph fuse_pairs(const Graph& graph, Join&& join) {
  const std::vector<int> makers = makers_of(graph);
  const std::vector<int> readers = count_readers(graph);
  std::vector<bool> gone(graph.nodes.size());
  Graph result = graph;
  for (Node& second : result.nodes) {
    if (!std::holds_alternative<Second>(second.op)) continue;
    const auto between = static_cast<std::size_t>(second.operands.front());
    if (makers[between] < 0 || readers[between] != 1) continue;
    const auto maker = static_cast<std::size_t>(makers[between]);
    const Node& first = graph.nodes[maker];
    if (!std::holds_alternative<First>(first.op)) continue;
    second = join(first, second);
    gone[maker] = true;
  }
  return compact(without_nodes(std::move(result), gone));
}

}  // namespace

Graph fuse_collapse_norms(const Graph& graph) {
  return fuse_pairs<HcCollapse, RmsNorm>(graph, [](const Node& collapse, const Node& norm) {
    return Node{.op = HcCollapseNorm{.collapse = std::get<HcCollapse>(collapse.op),
                                     .norm = std::get<RmsNorm>(norm.op)},
                .place = norm.place,
                .operands = {collapse.operands[0], collapse.operands[1], norm.operands[1]},
                .results = norm.results};
  });
}

Graph fuse_norm_ropes(const Graph& graph) {
  return fuse_pairs<RmsNorm, Rope>(graph, [](const Node& norm, const Node& rope) {
    return Node{
        .op = RmsNormRope{.norm = std::get<RmsNorm>(norm.op), .rope = std::get<Rope>(rope.op)},
        .place = rope.place,
        .operands = {norm.operands[0], norm.operands[1], rope.operands[1]},
        .results = rope.results};
  });
}

}  // namespace deepinfer
