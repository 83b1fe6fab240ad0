#include "graph/op.h"

namespace deepinfer {

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
