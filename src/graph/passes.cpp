#include "graph/passes.h"

#include <fmt/format.h>

#include <algorithm>

#include "deepinfer/error.h"
#include "graph/canonicalise_views.h"
#include "graph/fuse.h"
#include "graph/verify.h"

namespace deepinfer {
namespace {

using Pass = Graph (*)(const Graph& graph);

Graph verified(const Graph& graph) {
  verify(graph);
  return graph;
}

Graph as_it_is(const Graph& graph) { return graph; }

constexpr std::array<Pass, kPassNames.size()> kPasses = {&verified, &canonicalise_views, &fuse,
                                                         &as_it_is};

}  // namespace

PassResult run_passes(const Graph& built, std::string_view last) {
  const auto* const found = std::find(kPassNames.begin(), kPassNames.end(), last);
  if (found == kPassNames.end())
    throw Error::bad_input("graph passes", "there is no such pass",
                           {.expected = fmt::format("{}", fmt::join(kPassNames, ", ")),
                            .got = std::string(last),
                            .hint = {}});
  PassResult result{.graph = built, .reports = {}};
  const auto count = static_cast<std::size_t>(found - kPassNames.begin()) + 1;
  for (std::size_t pass = 0; pass < count; ++pass) {
    const std::size_t before = result.graph.nodes.size();
    result.graph = kPasses[pass](result.graph);
    result.reports.push_back(
        {.name = kPassNames[pass], .ops_before = before, .ops_after = result.graph.nodes.size()});
  }
  return result;
}

Graph graph_for(GraphMode mode, const Graph& built) {
  return mode == GraphMode::eager ? built : run_passes(built).graph;
}

}  // namespace deepinfer
