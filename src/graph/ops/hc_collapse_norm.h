#pragma once

// hc_collapse_norm: hc_collapse and the rms_norm of its result, which nothing else reads.
//
//   y = rms_norm(hc_collapse(streams, pre), weight)
// Made by the pass `fuse`; every element has the bits that the two ops give.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"
#include "graph/ops/hc_collapse.h"
#include "graph/ops/rms_norm.h"

namespace deepinfer {

struct HcCollapseNorm {
  static constexpr std::string_view kName = "hc_collapse_norm";
  static constexpr auto kOperands = std::array<std::string_view, 3>{"streams", "pre", "weight"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  HcCollapse collapse;
  RmsNorm norm;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("collapse_round", self.collapse.rounding);
    visitor("eps", self.norm.eps);
    visitor("round", self.norm.rounding);
  }
  bool operator==(const HcCollapseNorm&) const = default;
};

}  // namespace deepinfer
