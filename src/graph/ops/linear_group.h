#pragma once

// linear_group: linears of one x with equal attributes and weights of one format.
//
//   y<k> = linear(x, w<k>)
// Two to four; weights that are not there have no results. Made by the pass `fuse`, so that x is
// prepared once and the threads are called once; every element has the bits that `linear` gives.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"
#include "graph/ops/linear.h"

namespace deepinfer {

struct LinearGroup {
  static constexpr std::size_t kMostWeights = 4;

  static constexpr std::string_view kName = "linear_group";
  static constexpr auto kOperands =
      std::array<std::string_view, 1 + kMostWeights>{"x", "w0", "w1", "w2", "w3"};
  static constexpr int kOptionalOperands = 2;
  static constexpr auto kResults =
      std::array<std::string_view, kMostWeights>{"y0", "y1", "y2", "y3"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  Linear linear;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { Linear::visit(self.linear, visitor); }
  bool operator==(const LinearGroup&) const = default;
};

}  // namespace deepinfer
