#pragma once

// visible_entries: how many compressed entries of a ratio each row of the step can see.
//
//   visible[t] = floor((positions[t] + 1) / ratio)
// A padding row (position < 0) sees none. Written once per step into a derived metadata buffer,
// which every index_top_k of that ratio reads. Model specification 2.9.7.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct VisibleEntries {
  static constexpr std::string_view kName = "visible_entries";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"positions", "visible"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 0>{};
  static constexpr int kWrites = 1;
  static constexpr int kInPlace = -1;

  int ratio = 1;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("ratio", self.ratio); }
  bool operator==(const VisibleEntries&) const = default;
};

}  // namespace deepinfer
