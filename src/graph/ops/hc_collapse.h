#pragma once

// hc_collapse: the weighted sum of the residual streams that a sub-layer reads.
//
//   u[t, d] = sum_s pre[t, s] * X[t, s, d]
// Model specification 2.5. `pre` is that of the previous site.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct HcCollapse {
  static constexpr std::string_view kName = "hc_collapse";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"streams", "pre"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"u"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("round", self.rounding); }
  bool operator==(const HcCollapse&) const = default;
};

}  // namespace deepinfer
