#include "graph/op.h"

namespace deepinfer {
namespace {

template <std::size_t Index = 0>
std::optional<Op> find_op(std::string_view name) {
  if constexpr (Index < std::variant_size_v<Op>) {
    using OpStruct = std::variant_alternative_t<Index, Op>;
    return OpStruct::kName == name ? std::optional<Op>(OpStruct{}) : find_op<Index + 1>(name);
  } else {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Op> op_named(std::string_view name) { return find_op(name); }

std::string_view name_of(const Op& op) {
  return std::visit([](const auto& o) { return o.kName; }, op);
}

std::span<const std::string_view> operand_names(const Op& op) {
  return std::visit([](const auto& o) { return std::span<const std::string_view>(o.kOperands); },
                    op);
}

std::span<const std::string_view> result_names(const Op& op) {
  return std::visit([](const auto& o) { return std::span<const std::string_view>(o.kResults); },
                    op);
}

int optional_operands(const Op& op) {
  return std::visit([](const auto& o) { return o.kOptionalOperands; }, op);
}

int written_operand(const Op& op) {
  return std::visit([](const auto& o) { return o.kWrites; }, op);
}

int in_place_operand(const Op& op) {
  return std::visit([](const auto& o) { return o.kInPlace; }, op);
}

std::vector<ResultType> infer(const Op& op, const OperandTypes& operands) {
  return std::visit([&](const auto& o) { return o.infer(operands); }, op);
}

AttributeList attributes(const Op& op) {
  AttributeList list;
  std::visit([&](const auto& o) { o.visit(o, list); }, op);
  return list;
}

}  // namespace deepinfer
