#include "graph/op_support.h"

#include <fmt/format.h>

#include "deepinfer/error.h"

namespace deepinfer {

std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::metadata:
      return "metadata";
    case ValueKind::weight:
      return "weight";
    case ValueKind::root:
      return "root";
    case ValueKind::view:
      return "view";
    case ValueKind::intermediate:
      return "intermediate";
  }
  return "?";
}

std::string_view name_of(WeightFormat format) {
  switch (format) {
    case WeightFormat::plain:
      return "plain";
    case WeightFormat::fp8:
      return "fp8";
    case WeightFormat::fp4:
      return "fp4";
  }
  return "?";
}

void OperandTypes::fail(std::size_t index, std::string_view what, const std::string& expected,
                        const std::string& got) const {
  throw Error::bad_input(
      fmt::format("graph op {} at {}", op_, place_),
      fmt::format("operand '{}' ({}) {}", names_[index], values_[index]->name, what),
      {.expected = expected, .got = got, .hint = {}});
}

void OperandTypes::refuse(std::string_view what, const std::string& expected,
                          const std::string& got) const {
  throw Error::bad_input(fmt::format("graph op {} at {}", op_, place_), what,
                         {.expected = expected, .got = got, .hint = {}});
}

void OperandTypes::require_at_least(std::string_view name, int value, int least) const {
  if (value < least)
    refuse(fmt::format("attribute '{}' is too small", name), fmt::format("at least {}", least),
           std::to_string(value));
}

void OperandTypes::expect_shape(std::size_t index, const Shape& shape) const {
  const Shape& got = values_[index]->shape;
  bool equal = got.rank() == shape.rank();
  for (std::size_t axis = 0; equal && axis < shape.rank(); ++axis)
    equal = shape[axis] == -1 || shape[axis] == got[axis];
  if (!equal) fail(index, "has the wrong shape", shape.to_string(), got.to_string());
}

const Value& OperandTypes::expect(std::size_t index, DType dtype, const Shape& shape) const {
  const Value& value = *values_[index];
  if (value.kind == ValueKind::weight || value.kind == ValueKind::view)
    fail(index, "is of the wrong kind", "an activation or metadata buffer",
         std::string(name_of(value.kind)));
  if (value.dtype != dtype)
    fail(index, "has the wrong type", std::string(name_of(dtype)),
         std::string(name_of(value.dtype)));
  expect_shape(index, shape);
  return value;
}

const Value& OperandTypes::expect_weight(std::size_t index, const Shape& shape,
                                         bool plain_only) const {
  const Value& value = *values_[index];
  if (value.kind != ValueKind::weight)
    fail(index, "is of the wrong kind", "weight", std::string(name_of(value.kind)));
  if (plain_only && value.format != WeightFormat::plain)
    fail(index, "has the wrong format", "plain", std::string(name_of(value.format)));
  expect_shape(index, shape);
  return value;
}

const Value& OperandTypes::expect_view(std::size_t index, DType dtype, const Shape& shape) const {
  const Value& value = *values_[index];
  if (value.kind != ValueKind::view)
    fail(index, "is of the wrong kind", "view", std::string(name_of(value.kind)));
  if (value.dtype != dtype)
    fail(index, "has the wrong type", std::string(name_of(dtype)),
         std::string(name_of(value.dtype)));
  expect_shape(index, shape);
  return value;
}

void AttributeList::operator()(std::string_view name, float value) {
  add(name, fmt::format("{}", value));
}

void AttributeList::operator()(std::string_view name, Rounding value) {
  if (value != Rounding::none) add(name, name_of(value));
}

void AttributeList::operator()(std::string_view /*name*/, const Frequencies& value) {
  add("rotated", std::to_string(value == nullptr ? 0 : 2 * value->size()));
}

}  // namespace deepinfer
