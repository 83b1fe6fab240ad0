#pragma once

// scale: y = x * factor, rounded once. Model specification 2.9.5 (index head weights).

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct Scale {
  static constexpr std::string_view kName = "scale";
  static constexpr auto kOperands = std::array<std::string_view, 1>{"x"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 0;

  float factor = 1;
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("factor", self.factor);
    visitor("round", self.rounding);
  }
  bool operator==(const Scale&) const = default;
};

}  // namespace deepinfer
