#pragma once

// hc_expand: folds a sub-layer's output back into the residual streams.
//
//   X'[t, k, d] = post[t, k] * y[t, d] + sum_j comb[t, j, k] * X[t, j, d]
// The summed index is the first of comb. Model specification 2.5.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct HcExpand {
  static constexpr std::string_view kName = "hc_expand";
  static constexpr auto kOperands = std::array<std::string_view, 4>{"y", "streams", "post", "comb"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"streams"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 1;

  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("round", self.rounding); }
  bool operator==(const HcExpand&) const = default;
};

}  // namespace deepinfer
