#pragma once

// A graph as JSON text, and read back: the same values, ops, attributes (floats to the bit), order
// and outputs. Pure functions.
//
//   {"rows": 2,
//    "frequencies": [[1, 0.5]],                    shared by the ropes that name them by index
//    "values": [{"name", "kind", "dtype", "shape"} and of weights "format", "tensor_names"],
//    "ops": [{"op", "place", "attributes", "operands", "results"}],     ids are places in "values"
//    "outputs": [{"name", "value"}]}
//
// Other members at the top (a plan, the name of a pass) are passed over. A weight is named, not
// held: what binds the graph must have a tensor of that name.

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace deepinfer {

/// REQUIRES: a whole graph, not that of a region kind. Throws Error (bad_input) if an attribute is
/// not a number that JSON can hold.
std::string to_json(const Graph& graph);

/// Reads what to_json() writes and verifies it. Throws Error (bad_input) for any other text, naming
/// `source` and the place in it, or the op that does not fit. Extents and bytes are limited, so
/// that what passes can be planned.
Graph graph_from_json(std::string_view text, std::string_view source);

}  // namespace deepinfer
