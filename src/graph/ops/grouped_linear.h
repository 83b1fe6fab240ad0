#pragma once

// grouped_linear: one linear per group of heads.
//
// x is `groups` runs of K channels, weight is `groups` blocks of R rows over those K channels:
//   y[t, g*R + o] = sum_i x[t, g*K + i] * weight[g*R + o, i]
// Model specification 2.9.11, step 2 (wo_a); its input is never quantised.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct GroupedLinear {
  static constexpr std::string_view kName = "grouped_linear";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"x", "weight"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int groups = 1;                   ///< o_groups
  Rounding input = Rounding::none;  ///< that the values of x have been through
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("groups", self.groups);
    visitor("input", self.input);
    visitor("round", self.rounding);
  }
  bool operator==(const GroupedLinear&) const = default;
};

}  // namespace deepinfer
