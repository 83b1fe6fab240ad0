#pragma once

// What passes that rewrite a graph share. Pure functions.

#include <vector>

#include "graph/graph.h"

namespace deepinfer {

/// How often each value is read, by ops and as an output of the graph; by value id.
std::vector<int> count_readers(const Graph& graph);

/// The graph without the nodes that are `gone` (by node index); their results are left to
/// compact().
Graph without_nodes(Graph graph, const std::vector<bool>& gone);

/// Drops computed values that no op makes any more and renumbers the others in their order; given
/// values (metadata, roots, weights) stay, read or not. Verifies the result.
Graph compact(Graph graph);

}  // namespace deepinfer
