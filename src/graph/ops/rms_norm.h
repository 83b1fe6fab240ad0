#pragma once

// rms_norm: y = weight * x * rsqrt(mean(x^2) + eps), rounded once.
//
// Model specification 2.3.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct RmsNorm {
  static constexpr std::string_view kName = "rms_norm";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"x", "weight"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 0;

  float eps = 0;  ///< added to the mean of squares
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("eps", self.eps);
    visitor("round", self.rounding);
  }
  bool operator==(const RmsNorm&) const = default;
};

}  // namespace deepinfer
