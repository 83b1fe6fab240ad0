#pragma once

// lm_head: fp32 logits of the rows that want them; the other rows' logits are zero.
//
// Model specification 2.12.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct LmHead {
  static constexpr std::string_view kName = "lm_head";
  static constexpr auto kOperands = std::array<std::string_view, 3>{"h", "weight", "wants_logits"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"logits"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  Rounding input = Rounding::none;  ///< that the values of h have been through

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("input", self.input); }
  bool operator==(const LmHead&) const = default;
};

}  // namespace deepinfer
