#pragma once

// A module under construction: which graph value is which module value by now. Used by lower.cpp
// alone; one object makes one module.

#include <map>
#include <set>

#include "backend/pjrt/stablehlo/lower.h"
#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

class ModuleLowering {
 public:
  /// Values are called as in `names`, others as in the graph.
  ModuleLowering(std::string_view name, const Graph& graph, const LowerOptions& options,
                 std::map<ValueId, std::string> names = {});

  /// Appends a node. Operands that nothing has made yet become parameters.
  void add(const Node& node);
  LoweredModule finish(const std::vector<ValueId>& outputs);

 private:
  /// Where a view lies: a root's bytes, or an allocation of its own.
  struct Place {
    ValueId storage = -1;  ///< the root; of a column the view itself
    RootDims dims;
    ViewRecipe recipe;
  };

  const std::string& name_of_value(ValueId id) const;
  std::string heading(const Node& node) const;
  OperandVal operand(ValueId id);
  const Val& current(ValueId id);
  WeightVal weight(ValueId id);
  CacheVal cache(ValueId id);
  Val offset_of(ValueId id, const Place& place);
  Place place_of(ValueId id) const;
  Val param(ParameterKind kind, ValueId id, std::string_view name, Element type, const Dims& dims);
  void write(const Node& node, const Val& storage);

  const Graph& graph_;
  const LowerOptions& options_;
  std::map<ValueId, std::string> names_;
  ModuleWriter writer_;
  std::vector<Parameter> parameters_;
  std::vector<Val> parameter_values_;
  std::map<ValueId, Val> current_;  ///< values, roots and columns as they are by now
  std::map<ValueId, WeightVal> weights_;
  std::map<ValueId, RootDims> root_dims_;
  std::map<ValueId, std::size_t> offsets_;  ///< views' offset parameters
  std::map<ValueId, ValueId> root_of_;      ///< views of roots in the graph
  std::map<ValueId, ViewRecipe> recipes_;
  std::vector<Result> written_;  ///< in the order of their first write
};

}  // namespace deepinfer::pjrt
