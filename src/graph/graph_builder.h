#pragma once

// Builds a Graph op by op, inferring and checking shapes as it goes.
//
// One builder builds one graph: finish() verifies it and ends the builder's life. Not thread-safe.

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace deepinfer {

class GraphBuilder {
 public:
  /// REQUIRES: rows >= 1, the number of rows of the step.
  explicit GraphBuilder(int rows);

  ValueId metadata(std::string_view name, DType dtype, const Shape& shape);
  /// A metadata buffer that an op of this graph writes before others read it.
  ValueId derived(std::string_view name, DType dtype, const Shape& shape);
  ValueId root(std::string_view name, std::int64_t bytes);
  /// A weight by checkpoint name; the same name gives the same value.
  ValueId weight(std::string_view name, WeightFormat format, const Shape& shape);
  /// One weight per expert, `prefix`<expert>`suffix`, as one value of shape [experts, out, in].
  ValueId weight_bank(std::string_view prefix, std::string_view suffix, WeightFormat format,
                      const Shape& shape);

  /// Appends an op with at most one result and returns it (-1 if it has none). The result is called
  /// `<scope>.<name>`. Throws Error if the operands do not fit the op's declaration.
  ValueId add(Op op, std::vector<ValueId> operands, std::string_view name);
  /// Appends an op and returns all results, called `<scope>.<names[i]>`.
  std::vector<ValueId> add_all(Op op, std::vector<ValueId> operands,
                               std::initializer_list<std::string_view> names);

  void output(std::string_view name, ValueId value);

  /// Places added from here on are under `name` ("layers.3"); an inner scope appends to it.
  class Scope {
   public:
    Scope(GraphBuilder& builder, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    GraphBuilder& builder_;
    std::size_t outer_length_;
  };

  int rows() const { return graph_.rows; }
  const Value& value(ValueId id) const { return graph_.value(id); }

  Graph finish();

 private:
  ValueId add_value(Value value);
  std::string scoped(std::string_view name) const;

  Graph graph_;
  std::string scope_;
  std::map<std::string, ValueId, std::less<>> by_name_;
};

}  // namespace deepinfer
