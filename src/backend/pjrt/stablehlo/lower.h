#pragma once

// Graphs and single ops as StableHLO modules.
//
// A module's parameters and results are listed beside its text: what to upload for each, in which
// type and extents, and which results take over a parameter's buffer. Every value is a parameter
// once, however often it is read. Pure functions: a graph and options in, text and lists out.
//
// Roots are byte buffers (caches.h). An op that writes a view makes a new value of the root, which
// later readers of that root see; a written root is a result, aliased to its parameter. Derived
// metadata that the module writes is a result too, and a parameter only if it is read before that.

#include <functional>
#include <string>
#include <vector>

#include "backend/pjrt/stablehlo/caches.h"
#include "backend/pjrt/stablehlo/type_support.h"
#include "graph/graph.h"
#include "graph/regions.h"

namespace deepinfer::pjrt {

struct LowerOptions {
  TypeSupport types = {};
  /// Element type of a plain weight in the checkpoint (bf16, f16 or f32); bf16 where not set.
  std::function<DType(const Value&)> plain_type = {};
  /// Views' offsets into their roots become parameters (scalars, each where its view is first
  /// used), so that one module serves every layer whose columns differ only in where they lie.
  bool offset_parameters = false;
  /// Written roots take over their parameters' buffers. False for devices that get that wrong.
  bool alias_roots = true;
};

enum class ParameterKind : std::uint8_t {
  value,   ///< metadata or an activation, as it is
  weight,  ///< a weight's elements or codes; a bank: all experts' behind each other
  scales,  ///< its E8M0 scales
  root,    ///< a cache root
  column,  ///< a view whose root is not in the graph: rows of an allocation of its own
  offset,  ///< byte offset of the view `value` in its root
};

std::string_view name_of(ParameterKind kind);

struct Parameter {
  ParameterKind kind = ParameterKind::value;
  ValueId value = -1;  ///< of the graph
  std::string name;    ///< in the text
  Element type = Element::f32;
  Dims dims;
  int result = -1;  ///< the result that its buffer becomes; -1: it is kept
};

enum class ResultKind : std::uint8_t {
  value,    ///< a graph output, or an op's result
  root,     ///< a written root or column
  derived,  ///< written metadata
};

std::string_view name_of(ResultKind kind);

struct Result {
  ResultKind kind = ResultKind::value;
  ValueId value = -1;
  Element type = Element::f32;
  Dims dims;
};

struct LoweredModule {
  std::string text;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
};

/// The whole graph. Results: its outputs in order, then what it writes.
LoweredModule lower_graph(const Graph& graph, const LowerOptions& options = {});
/// One node: its operands in order, called as the op's declaration calls them, so that nodes that
/// are alike have the same text. Results: the node's results, then what it writes. REQUIRES: no
/// cache_view.
LoweredModule lower_node(const Graph& graph, const Node& node, const LowerOptions& options = {});
/// The nodes of one call of a region plan of `graph`, called as in the kind's graph, so that calls
/// of a kind have the same text if offsets are parameters. Results: the call's, then what it
/// writes.
LoweredModule lower_region(const Graph& graph, const RegionKind& kind, const RegionCall& call,
                           const LowerOptions& options = {});

}  // namespace deepinfer::pjrt
