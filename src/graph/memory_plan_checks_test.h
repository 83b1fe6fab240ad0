#pragma once

// What every memory plan must satisfy, checked by brute force.

#include "graph/graph.h"
#include "graph/memory_plan.h"

namespace deepinfer {

/// Fails the running test if two live values or workspaces share a byte, a value is placed outside
/// the arena or unaligned, an in-place result takes a storage still needed, or a byte is
/// unaccounted for.
void check_plan(const Graph& graph, const MemoryPlan& plan, const WorkspaceBytes& workspace_bytes);

}  // namespace deepinfer
