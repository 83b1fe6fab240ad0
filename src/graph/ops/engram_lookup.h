#pragma once

// engram_lookup: the n-gram table rows of a position, dequantised and concatenated.
//
// The host has hashed the n-grams and gathered the packed rows (E4M3 codes, then one E8M0 scale per
// 32 columns) into a metadata buffer before the step. Model specification 3.4 and 3.6, step 1.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct EngramLookup {
  static constexpr std::string_view kName = "engram_lookup";
  static constexpr auto kOperands = std::array<std::string_view, 1>{"rows"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"e"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int head_dim = 0;  ///< width of one table row

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("head_dim", self.head_dim); }
  bool operator==(const EngramLookup&) const = default;
};

}  // namespace deepinfer
