#pragma once

// A graph: a list of ops over typed values with static shapes, in the order they run.
//
// Order is meaning: an op that writes a cache view is seen by every later op that reads a view of
// the same root, and nothing reorders ops. Plain data; immutable once built, then shared freely.

#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/value.h"

namespace deepinfer {

struct Node {
  Op op;
  std::string place;  ///< where in the model: "layers.3.attn"
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
};

/// A value the caller may read after a run. Its storage is not reused within the run.
struct GraphOutput {
  std::string name;
  ValueId value;
};

struct Graph {
  int rows = 0;  ///< N: the captured size
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<GraphOutput> outputs;

  const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
};

}  // namespace deepinfer
