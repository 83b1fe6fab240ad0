#pragma once

// Pass `canonicalise`: every column of a cache is viewed once, and all views come first.
//
// A view moves no bytes, so where it stands means nothing; several views of one column become one,
// in the order in which columns lie in their roots. All other ops keep their order.

#include "graph/graph.h"

namespace deepinfer {

/// REQUIRES: a verified graph. Throws Error (bad_input) with the view's shape and stride if a view
/// is not a column slice of its root.
Graph canonicalise_views(const Graph& graph);

}  // namespace deepinfer
