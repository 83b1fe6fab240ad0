#include "graph/canonicalise_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "deepinfer/error.h"
#include "graph/rewrite.h"

namespace deepinfer {
namespace {

const ViewRecipe& recipe_of(const Node& view) { return std::get<CacheView>(view.op).recipe; }

void require_column(const Graph& graph, const Node& view) {
  const ViewRecipe& recipe = recipe_of(view);
  const std::string expected = recipe.column_fault(graph.value(view.operands.front()).shape[0]);
  if (!expected.empty())
    throw Error::bad_input(fmt::format("graph op {} at {}", name_of(view.op), view.place),
                           "is not a column slice of its root",
                           {.expected = expected, .got = recipe.to_string(), .hint = {}});
}

bool lies_before(const Node& a, const Node& b) {
  if (a.operands.front() != b.operands.front()) return a.operands.front() < b.operands.front();
  return recipe_of(a).offset < recipe_of(b).offset;
}

}  // namespace

Graph canonicalise_views(const Graph& graph) {
  Graph result{.rows = graph.rows, .values = graph.values, .nodes = {}, .outputs = graph.outputs};
  std::vector<ValueId> view_of(
      graph.values.size());  // by value id: itself, or the first view alike
  std::iota(view_of.begin(), view_of.end(), 0);
  for (const Node& node : graph.nodes) {
    if (!std::holds_alternative<CacheView>(node.op)) continue;
    require_column(graph, node);
    const auto alike =
        std::find_if(result.nodes.begin(), result.nodes.end(), [&](const Node& known) {
          return known.operands == node.operands && recipe_of(known) == recipe_of(node);
        });
    if (alike == result.nodes.end())
      result.nodes.push_back(node);
    else
      view_of[static_cast<std::size_t>(node.results.front())] = alike->results.front();
  }
  std::stable_sort(result.nodes.begin(), result.nodes.end(), lies_before);

  for (const Node& node : graph.nodes) {
    if (std::holds_alternative<CacheView>(node.op)) continue;
    result.nodes.push_back(node);
    for (ValueId& id : result.nodes.back().operands) id = view_of[static_cast<std::size_t>(id)];
  }
  return compact(std::move(result));
}

}  // namespace deepinfer
