#pragma once

// What observers know of the captured graphs: names, regions and costs of their ops, copied once
// after a capture so that nothing is looked up, or can be gone, while a step runs. Plain data.

#include <memory>
#include <string>
#include <vector>

#include "graph/op_cost.h"
#include "graph/op_reads.h"

namespace deepinfer {

struct ObservedOp {
  std::string place;  ///< "layers.3.attn"; "model" if outside all
  std::string name;   ///< of the op: "linear"
  OpCost cost;
  OpReads reads = {};
  int region = -1;  ///< index into ObservedGraph::regions; -1: outside layers
};

/// A run of ops of one part of a layer: a call of the graph's region plan, in every graph mode.
struct ObservedRegion {
  int kind = 0;
  std::string place;
};

struct ObservedGraph {
  int rows = 0;
  std::vector<ObservedOp> ops;  ///< by node
  std::vector<ObservedRegion> regions;
  std::vector<std::string> kinds;  ///< of regions: "attn.2"
};

struct ObservedCapture {
  std::vector<ObservedGraph> graphs;  ///< as GraphRunner::captures() lists them
  int members = 1;                    ///< threads that share an op's work

  std::size_t most_ops() const;
  std::size_t most_regions() const;
};

ObservedGraph observe_graph(const Graph& graph, const PlainDType& plain_dtype);

}  // namespace deepinfer
