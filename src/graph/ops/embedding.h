#pragma once

// embedding: the token's row of the table, once per residual stream, and the first `pre`.
//
//   streams[t, s, :] = table[token_ids[t], :]      pre[t] = (1, 0, …, 0)
// Model specification 2.1.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct Embedding {
  static constexpr std::string_view kName = "embedding";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"token_ids", "table"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 2>{"streams", "pre"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int streams = 0;  ///< residual streams (hc_mult)

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("streams", self.streams); }
  bool operator==(const Embedding&) const = default;
};

}  // namespace deepinfer
