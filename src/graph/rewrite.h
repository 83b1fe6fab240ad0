#pragma once

// What passes that rewrite a graph share. Pure functions.

#include <vector>

#include "graph/graph.h"

namespace deepinfer {

/// How often each value is read, by ops and as an output of the graph; by value id.
std::vector<int> count_readers(const Graph& graph);

/// Drops computed values that no op makes any more and renumbers the others in their order; given
/// values (metadata, roots, weights) stay, read or not. Verifies the result.
Graph compact(Graph graph);

}  // namespace deepinfer
