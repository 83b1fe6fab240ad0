#pragma once

// rope: rotates the trailing channels of every head, adjacent pairs, at the row's position.
//
//   theta = fp32(position * frequency[i]);  (a, b) -> (a cos - b sin, a sin + b cos)
// With `position_step` r the position is that of the first token of the row's group: (p / r) * r.
// `inverse` rotates back. Padding rows (position < 0) rotate by position 0. Only the rotated
// channels are rounded. Model specification 2.8.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct Rope {
  static constexpr std::string_view kName = "rope";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"x", "positions"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 0;

  int head_dim = 0;
  Frequencies frequencies;  ///< one per pair; 2 * size() channels rotate
  int position_step = 1;
  bool inverse = false;
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  /// Throws Error unless operand 0 [rows, width] is whole heads in which the frequencies fit.
  void require_heads(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("head_dim", self.head_dim);
    visitor("frequencies", self.frequencies);
    visitor("position_step", self.position_step);
    visitor("inverse", self.inverse);
    visitor("round", self.rounding);
  }
  bool operator==(const Rope&) const = default;
};

}  // namespace deepinfer
