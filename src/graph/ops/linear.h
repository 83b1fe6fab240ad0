#pragma once

// linear: y[t, o] = sum_i x[t, i] * weight[o, i] over a weight of any checkpoint format.
//
// With `quantise_input` x is first put on the FP8 grid (Q8, blocks of 32): the official numerics of
// FP8 and FP4 weights. Model specification 2.6.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct Linear {
  static constexpr std::string_view kName = "linear";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"x", "weight"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  bool quantise_input = false;      ///< Q8 over the input channels
  Rounding input = Rounding::none;  ///< that the values of x have been through
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  /// Throws Error if operand 0 cannot be quantised as the attributes ask.
  void require_blocks(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("quantise_input", self.quantise_input);
    visitor("input", self.input);
    visitor("round", self.rounding);
  }
  bool operator==(const Linear&) const = default;
};

}  // namespace deepinfer
