#pragma once

// Pass `verify`: a graph is well formed, or an Error says where it is not.

#include "graph/graph.h"

namespace deepinfer {

/// Checks operand count, that every operand exists, and the op's own shape rule; returns the types
/// of its results. Throws Error naming op, place, operand, expected and found.
std::vector<ResultType> infer_node(const Graph& graph, const Node& node);

/// Whole graph: every value is made exactly once and before its uses, by the types its op infers;
/// only views are written, and derived metadata once, before it is read; outputs exist.
void verify(const Graph& graph);

}  // namespace deepinfer
