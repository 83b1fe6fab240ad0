#pragma once

// Which inputs of a graph share bytes, and whether they may. Decided on the exact bytes of each
// (strided runs), so that columns that interleave in one root do not count.
//
// Two values may share bytes if neither is ever written (weights that are one tensor of the
// checkpoint), or if one is declared to be a part of the other (a column of a root, by its recipe).
// Everything else would let a step change what another value holds. Pure functions.

#include <string>
#include <vector>

#include "backend/backend.h"
#include "graph/strided_range.h"

namespace deepinfer {

/// One value's bytes. `range` is in addresses.
struct AliasInput {
  std::string name;
  std::string what;  ///< "metadata", "root", "column of state_buffer", "weight"
  StridedRange range;
  bool written = false;  ///< by an op, or before every step
  int part_of = -1;      ///< index of the input it is declared to be a part of
  bool operator==(const AliasInput&) const = default;
};

struct AliasPair {
  int a = 0;
  int b = 0;
  bool allowed = false;
  std::string reason;
  std::int64_t shared = 0;  ///< an address that both hold
};

/// Metadata, roots, columns and weights of `graph` where `bindings` put them.
std::vector<AliasInput> alias_inputs(const Graph& graph, const Bindings& bindings);

/// Every pair that shares a byte, in the order of the inputs.
std::vector<AliasPair> find_aliases(const std::vector<AliasInput>& inputs);

/// One line per pair: names, byte ranges, allowed or not and why; a last line with the counts.
std::string describe(const std::vector<AliasInput>& inputs, const std::vector<AliasPair>& pairs);

/// Throws Error (bad_input) naming both inputs of the first pair that is not allowed.
void refuse_undeclared(const std::vector<AliasInput>& inputs, const std::vector<AliasPair>& pairs);

}  // namespace deepinfer
