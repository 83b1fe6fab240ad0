#pragma once

// rms_norm_rope: rms_norm and the rope of its result, which nothing else reads.
//
//   y = rope(rms_norm(x, weight), positions)
// Made by the pass `fuse`; every element has the bits that the two ops give.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/rope.h"

namespace deepinfer {

struct RmsNormRope {
  static constexpr std::string_view kName = "rms_norm_rope";
  static constexpr auto kOperands = std::array<std::string_view, 3>{"x", "weight", "positions"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 0;

  RmsNorm norm;
  Rope rope;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("eps", self.norm.eps);
    visitor("norm_round", self.norm.rounding);
    Rope::visit(self.rope, visitor);
  }
  bool operator==(const RmsNormRope&) const = default;
};

}  // namespace deepinfer
