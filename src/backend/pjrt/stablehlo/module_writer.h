#pragma once

// Writes one StableHLO module, `func.func public @main`, as text.
//
// A Val is a handle to a value of the module: its type and extents are known here, so every method
// checks what it is given before it appends a line, and throws Error (failed, "stablehlo") naming
// the op where a line would be ill-typed. Only static shapes and ops of StableHLO 1.0 are written,
// gather, scatter and sort in their generic form.
//
// Names are given out at the end: `%t<n>` unless rename() gave a better one; equal names get
// numbers. Scalars (rank 0) stretch to the other operand's extents in elementwise ops. Constants
// are written once, in front. One writer writes one module; not thread-safe.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/pjrt/stablehlo/element_type.h"
#include "backend/pjrt/stablehlo/type_support.h"

namespace deepinfer::pjrt {

struct Val {
  int id = -1;
  Element type = Element::f32;
  Dims dims;
  int part = -1;  ///< result of an op with several

  std::int64_t dim(std::size_t axis) const { return dims[axis]; }
  std::int64_t elements() const { return elements_of(dims); }
  std::string type_text() const { return tensor_type(type, dims); }
};

/// Half-open range of one axis.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

class ModuleWriter {
 public:
  /// `types`: what rounding and reductions are made of.
  explicit ModuleWriter(std::string_view name, const TypeSupport& types = {})
      : types_(types), module_name_(name) {}

  const TypeSupport& types() const { return types_; }

  Val param(std::string_view name, Element type, const Dims& dims);
  /// The parameter's buffer becomes that of result `result`: the caller gives it away.
  void alias(const Val& param, int result);
  /// A line of its own before the next op.
  void comment(std::string_view text);
  /// Calls the value `name` (made a legal and unique one) in the text.
  void rename(const Val& value, std::string_view name);
  /// The module. The writer is done with.
  std::string finish(std::span<const Val> results);

  // ---- constants
  Val constant(Element type, double value, const Dims& dims = {});
  Val i32(std::int64_t value, const Dims& dims = {}) {
    return constant(Element::i32, static_cast<double>(value), dims);
  }
  Val f32(double value, const Dims& dims = {}) { return constant(Element::f32, value, dims); }
  /// The f32 with these bits.
  Val f32_bits(std::uint32_t bits, const Dims& dims = {});
  Val table(std::span<const float> values);
  Val iota(Element type, const Dims& dims, std::size_t axis);

  // ---- elementwise
  Val unary(std::string_view op, const Val& a);
  Val binary(std::string_view op, const Val& left, const Val& right);
  Val binary(std::string_view op, const Val& a, double b) {
    return binary(op, a, constant(a.type, b));
  }
  Val add(const Val& a, const Val& b) { return binary("add", a, b); }
  Val add(const Val& a, double b) { return binary("add", a, b); }
  Val sub(const Val& a, const Val& b) { return binary("subtract", a, b); }
  Val sub(const Val& a, double b) { return binary("subtract", a, b); }
  Val mul(const Val& a, const Val& b) { return binary("multiply", a, b); }
  Val mul(const Val& a, double b) { return binary("multiply", a, b); }
  Val div(const Val& a, const Val& b) { return binary("divide", a, b); }
  Val div(const Val& a, double b) { return binary("divide", a, b); }
  Val max(const Val& a, const Val& b) { return binary("maximum", a, b); }
  Val max(const Val& a, double b) { return binary("maximum", a, b); }
  Val min(const Val& a, const Val& b) { return binary("minimum", a, b); }
  Val min(const Val& a, double b) { return binary("minimum", a, b); }
  Val both(const Val& a, const Val& b) { return binary("and", a, b); }
  Val either(const Val& a, const Val& b) { return binary("or", a, b); }
  /// `direction`: EQ, NE, GE, GT, LE or LT.
  Val compare(std::string_view direction, const Val& left, const Val& right);
  Val compare(std::string_view direction, const Val& a, double b) {
    return compare(direction, a, constant(a.type, b));
  }
  Val select(const Val& condition, const Val& yes, const Val& no);
  Val convert(const Val& a, Element type);
  /// Rounds an f32 to the nearest bf16 (ties to even), staying f32; an infinity where that is
  /// nearest, a NaN stays one. Not a pair of converts, which a compiler may drop.
  Val round_bf16(const Val& a);
  /// To a wider type a trailing axis goes, to a narrower one it comes.
  Val bitcast(const Val& a, Element type);

  // ---- shape
  Val reshape(const Val& a, const Dims& dims);
  /// Axis i of `a` becomes axis axes[i]; the others repeat.
  Val broadcast(const Val& a, const Dims& dims, const std::vector<std::int64_t>& axes);
  Val slice(const Val& a, std::span<const Range> ranges);
  /// Elements [begin, end) of one axis.
  Val slice_axis(const Val& a, std::size_t axis, std::int64_t begin, std::int64_t end);
  Val concatenate(std::span<const Val> parts, std::size_t axis);
  /// Behind the last element of `axis`, up to `extent`.
  Val pad_axis(const Val& a, std::size_t axis, std::int64_t extent, const Val& with);
  Val transpose(const Val& a, const std::vector<std::int64_t>& permutation);

  // ---- by index
  /// table [r, …] at index [n…]: [n…, …]. Indices must be in range.
  Val gather_rows(const Val& table, const Val& index);
  /// `width` elements of a [r, w] at (row, column) = starts [n…, 2]: [n…, width].
  Val gather_windows(const Val& a, const Val& starts, std::int64_t width);
  /// a [r, w] with updates [n, width] at (row, column) = starts [n, 2]. Windows that overlap must
  /// hold the same.
  Val scatter_windows(const Val& a, const Val& starts, const Val& updates);
  Val dynamic_slice(const Val& a, std::span<const Val> starts, const Dims& sizes);
  Val dynamic_update_slice(const Val& a, const Val& update, std::span<const Val> starts);
  /// `count` elements of axis 0 from scalar `start` on, and back.
  Val take(const Val& a, const Val& start, std::int64_t count);
  Val put(const Val& a, const Val& update, const Val& start);

  // ---- sums, products, order
  /// `op`: add, maximum, minimum, or, and.
  Val reduce(std::string_view op, const Val& a, std::size_t axis);
  /// sum over the contracted axes; batch axes first, then what is left of a, then of b. In f32.
  Val dot(const Val& a, const Val& b, const std::vector<std::int64_t>& contract_a,
          const std::vector<std::int64_t>& contract_b,
          const std::vector<std::int64_t>& batch_a = {},
          const std::vector<std::int64_t>& batch_b = {});
  /// Sorts along the last axis by `keys`, stably; `direction` GT: largest first. Others follow.
  std::vector<Val> sort(std::string_view direction, std::span<const Val> keys_and_others);
  /// `a`, of which nothing is computed before `value` is there, where the device can be told that.
  Val held_until(const Val& a, const Val& value);
  /// Runs `body`(i, carried) for i = 0 … trips - 1 and returns what the last one returned.
  using Body = std::function<std::vector<Val>(const Val& i, const std::vector<Val>& carried)>;
  std::vector<Val> loop(std::int64_t trips, std::span<const Val> carried, const Body& body);

  // ---- functions
  /// Calls the private function `name`, which `body` writes the first time that it is called with
  /// operands of these types. What `body` writes may depend on `name` and its operands alone.
  using Function = std::function<Val(std::span<const Val> operands)>;
  Val call(std::string_view name, std::span<const Val> operands, const Function& body);

 private:
  /// What is written of one function.
  struct Block {
    std::string constants;
    std::map<std::string, Val> constant_of;
    std::string body;
    int depth = 2;
    int first_id = 0;  ///< values before are another function's
  };
  struct Known {
    std::string name;
    Element type = Element::f32;
    Dims dims;
  };
  struct Param {
    Val value;
    std::string name;
    int alias = -1;
  };

  int new_id();
  std::string ref(const Val& value) const;
  /// Appends `text` with the result's name in front.
  Val emit(Element type, const Dims& dims, const std::string& text);
  void line(const std::string& text);
  Val hoist(Element type, const Dims& dims, const std::string& literal);
  /// Both with the same extents: a scalar is stretched to the other.
  void match(std::string_view op, Val& a, Val& b);
  Val reduce_identity(std::string_view op, Element type);
  std::string resolve(const std::string& text) const;

  Val reduce_as(std::string_view op, const Val& a, std::size_t axis);

  TypeSupport types_;
  std::string module_name_;
  std::vector<Param> params_;
  Block block_;                         // of the function being written
  std::string functions_;               // finished
  std::map<std::string, Known> known_;  // functions by name and operand types
  std::vector<std::string> names_;      // by id, empty: not named yet
  std::map<std::string, int, std::less<>> uses_of_name_;
};

}  // namespace deepinfer::pjrt
