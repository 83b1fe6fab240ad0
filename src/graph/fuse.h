#pragma once

// Pass `fuse`: neighbouring ops that can share one walk over their rows become one op.
//
//   hc_collapse, rms_norm  ->  hc_collapse_norm
//   rms_norm, rope         ->  rms_norm_rope
//   linears of one x       ->  linear_group
//
// A value that something else reads, or that the caller may read, is never fused away. The joined
// ops compute every element as the single ones do: a fused graph gives the bits of the graph it was
// made from. Ops that are not joined keep their order.

#include "graph/graph.h"

namespace deepinfer {

/// REQUIRES: a verified graph. All patterns, one after the other.
Graph fuse(const Graph& graph);

// The patterns, each in a file of its own.

/// The norm of a collapse that nothing else reads takes the collapse in.
Graph fuse_collapse_norms(const Graph& graph);  // fuse_pairs.cpp
/// The rope of a norm that nothing else reads takes the norm in.
Graph fuse_norm_ropes(const Graph& graph);  // fuse_pairs.cpp
/// Linears of one x, with equal attributes and weights of one format, move to the first of them: up
/// to LinearGroup::kMostWeights. A linear reads its x and a weight only, neither of which changes
/// within a step, so it may run as soon as x is there.
Graph group_linears(const Graph& graph);  // group_linears.cpp

}  // namespace deepinfer
