#pragma once

// compress: pools the two rows of a ratio-2 group, channel by channel, with a gate softmax.
//
// Rows 2j and 2j+1 of a sequence form group j. The row at 2j+1 finds its partner in this step
// (prev_rows[t] >= 0) or, across steps, in ca_state[slot] = (a, g). A row at an even position that
// is the last of its sequence in this step stores its (a, g) there. Rows that end no group give
// zeros. Model specification 2.9.3.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct Compress {
  static constexpr std::string_view kName = "compress";
  static constexpr auto kOperands =
      std::array<std::string_view, 6>{"a", "g", "ca_state", "slots", "positions", "prev_rows"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"pooled"};
  static constexpr int kWrites = 2;
  static constexpr int kInPlace = -1;

  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("round", self.rounding); }
  bool operator==(const Compress&) const = default;
};

}  // namespace deepinfer
