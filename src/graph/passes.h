#pragma once

// The passes that a built graph goes through before it is compiled, by name and in order:
//
//   verify        well formed, or an Error
//   canonicalise  every cache column viewed once, in front (canonicalise_views.h)
//   fuse          neighbouring ops joined (fuse.h)
//   plan          every value and workspace gets its place in one arena (memory_plan.h); the graph
//                 stays as it is, and what workspaces need the backend says, which does this pass
//
// Graph modes `whole` and `regions` run what comes out; `eager` runs the graph as it was built, and
// so is the judge of the passes.

#include <array>
#include <string_view>
#include <vector>

#include "deepinfer/options.h"
#include "graph/graph.h"

namespace deepinfer {

inline constexpr std::array<std::string_view, 4> kPassNames = {"verify", "canonicalise", "fuse",
                                                               "plan"};

/// What a pass did.
struct PassReport {
  std::string_view name;
  std::size_t ops_before = 0;
  std::size_t ops_after = 0;
};

struct PassResult {
  Graph graph;
  std::vector<PassReport> reports;  ///< of the passes that ran, in their order
};

/// Runs the passes up to and including `last`. Throws Error (bad_input) if there is no such pass or
/// the graph does not pass one.
PassResult run_passes(const Graph& built, std::string_view last = kPassNames.back());

/// What `mode` runs: in `eager` the graph as it was built, in others what the passes make of it.
Graph graph_for(GraphMode mode, const Graph& built);

}  // namespace deepinfer
