#pragma once

// Mode `regions`: a step graph cut into a few regions per layer, and layers of the same kind
// sharing their code.
//
// A region is a run of nodes of one part of a layer (engram, attn or ffn; the hyper-connection and
// norm in front of a part belong to it). Two regions are of one kind if their ops, attributes,
// wiring, shapes and types are equal: names, weights and cache views may differ. The kind's graph
// names what differs as *arguments*; a call binds them to values of the step graph. Nodes outside
// layers (embedding, head) run by themselves. Plain data, immutable.

#include <memory>
#include <string>
#include <vector>

#include "graph/memory_plan.h"

namespace deepinfer {

struct RegionKind {
  std::string name;                    ///< part and number among the part's kinds: "attn.2"
  std::shared_ptr<const Graph> graph;  ///< names without their layer; outputs = results
  std::vector<ValueId> arguments;      ///< values of `graph` that a call binds, in order of use
};

/// One region of the step graph.
struct RegionCall {
  int kind = 0;
  std::string place;               ///< "layers.3.attn"
  std::vector<int> nodes;          ///< nodes of the step graph, parallel to the kind graph's
  std::vector<ValueId> arguments;  ///< values of the step graph, parallel to the kind's
  std::vector<ValueId> results;    ///< values of the step graph, parallel to the kind's outputs
};

/// A step of the plan: a call, or a node that runs by itself.
struct RegionStep {
  int call = -1;
  int node = -1;
};

struct RegionPlan {
  std::vector<RegionKind> kinds;
  std::vector<RegionCall> calls;
  std::vector<RegionStep> steps;  ///< in the order they run; cache_view nodes are in none
};

/// The part of the model a node of place `place` belongs to: "layers.3.attn" for "layers.3.attn"
/// and "layers.3.attn.indexer", "layers.3" for glue between parts, empty outside layers.
std::string region_part(std::string_view place);

RegionPlan plan_regions(const Graph& graph);

/// Where everything of a region plan lies, in one arena. Values that cross from one step to another
/// are placed over steps; each step has scratch of its own: a node's workspace, or all that a
/// kind's graph needs inside.
struct RegionMemory {
  std::vector<Placement> values;   ///< by value id of the step graph; bytes == 0: does not cross
  std::vector<Placement> scratch;  ///< by step
  std::vector<MemoryPlan> kinds;   ///< by kind, relative to the step's scratch
  std::size_t arena_bytes = 0;
};

RegionMemory plan_region_memory(const Graph& graph, const RegionPlan& regions,
                                const WorkspaceBytes& workspace_bytes);

/// Kinds with their calls and ops, for `inspect --plan`.
std::string describe(const RegionPlan& regions);

}  // namespace deepinfer
