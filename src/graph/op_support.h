#pragma once

// What an op's declaration is made of. Every op is a struct of attributes with
//
//   static constexpr std::string_view kName;
//   static constexpr std::array kOperands;      operand names, in order
//   static constexpr int kOptionalOperands;     how many at the end may be missing
//   static constexpr std::array kResults;       result names, in order (may be empty)
//   static constexpr int kWrites;               operand (cache view, derived metadata) it writes
//   static constexpr int kInPlace;              operand whose storage result 0 may take over, or -1
//   std::vector<ResultType> infer(const OperandTypes&) const;   the shape rule
//   static void visit(auto& self, auto& visitor);               visitor("name", self.attribute),
//   for
//                                                               every attribute once: printing,
//                                                               saving and reading all come from it
//
// `infer` throws Error naming the op, its place, the operand, what was expected and found.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/quantise.h"
#include "graph/rounding.h"
#include "graph/scoring_func.h"
#include "graph/value.h"
#include "graph/view_recipe.h"

namespace deepinfer {

struct ResultType {
  DType dtype;
  Shape shape;
};

/// The operands of one op under inference.
class OperandTypes {
 public:
  OperandTypes(std::string_view op, std::string_view place, std::span<const std::string_view> names,
               std::span<const Value* const> values)
      : op_(op), place_(place), names_(names), values_(values) {}

  std::size_t size() const { return values_.size(); }
  const Value& operator[](std::size_t index) const { return *values_[index]; }

  /// Checks operand `index`; an extent of -1 matches anything.
  const Value& expect(std::size_t index, DType dtype, const Shape& shape) const;
  /// The same for a weight of any format (or only `plain`).
  const Value& expect_weight(std::size_t index, const Shape& shape, bool plain_only = false) const;
  /// The same for a cache view: rows of `row_shape`.
  const Value& expect_view(std::size_t index, DType dtype, const Shape& shape) const;

  /// Throws: operand `index` is not `expected` but `got`.
  [[noreturn]] void fail(std::size_t index, std::string_view what, const std::string& expected,
                         const std::string& got) const;
  /// Throws: the op itself `what`.
  [[noreturn]] void refuse(std::string_view what, const std::string& expected,
                           const std::string& got) const;
  /// Throws unless the op's attribute `name` is `least` or more.
  void require_at_least(std::string_view name, int value, int least) const;

 private:
  void expect_shape(std::size_t index, const Shape& shape) const;

  std::string_view op_;
  std::string_view place_;
  std::span<const std::string_view> names_;
  std::span<const Value* const> values_;
};

/// One factor per pair of channels; shared by all ropes of a model.
using Frequencies = std::shared_ptr<const std::vector<float>>;

/// Attribute names and values as text, for the printer: a visitor of op attributes. Leaves out what
/// the operands and result types say already, and roundings that do not round.
class AttributeList {
 public:
  void operator()(std::string_view name, bool value) { add(name, value ? "true" : "false"); }
  void operator()(std::string_view name, int value) { add(name, std::to_string(value)); }
  void operator()(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
  void operator()(std::string_view name, float value);
  void operator()(std::string_view name, Rounding value);
  void operator()(std::string_view name, Quantiser value) { add(name, name_of(value)); }
  void operator()(std::string_view name, ScoringFunc value) { add(name, name_of(value)); }
  /// How many channels rotate: the factors themselves are many.
  void operator()(std::string_view name, const Frequencies& value);
  void operator()(std::string_view, CacheRoot) {}
  void operator()(std::string_view, const Shape&) {}
  void operator()(std::string_view, DType) {}

  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  void add(std::string_view name, std::string_view value) {
    entries_.emplace_back(std::string(name), std::string(value));
  }

  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace deepinfer
