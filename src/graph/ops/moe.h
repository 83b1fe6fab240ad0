#pragma once

// moe: the chosen experts of every row plus the shared expert.
//
//   g = w1 x, u = w3 x (rounded), clamped: g <= limit, |u| <= limit if limit > 0
//   m = weight * silu(g) * u (rounded; the routing weight before w2), y_e = w2 m (rounded)
//   y = sum of y_e in ascending expert index, then the shared expert; rounded once
// With `quantise_input` the inputs of all three linears go through Q8. Padding rows (position < 0)
// give 0 and touch no expert. Model specification 2.10.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct Moe {
  static constexpr std::string_view kName = "moe";
  static constexpr auto kOperands =
      std::array<std::string_view, 10>{"x",  "experts", "weights",   "positions", "w1",
                                       "w3", "w2",      "shared_w1", "shared_w3", "shared_w2"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  float swiglu_limit = 0;  ///< <= 0: no clamp
  bool quantise_input = false;
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("swiglu_limit", self.swiglu_limit);
    visitor("quantise_input", self.quantise_input);
    visitor("round", self.rounding);
  }
  bool operator==(const Moe&) const = default;
};

}  // namespace deepinfer
