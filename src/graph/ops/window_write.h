#pragma once

// window_write: quantises each row's window KV (Q8) and stores it in the sequence's ring.
//
// Ring entry position mod ring of slot slots[t]. The ring is longer than the window by a whole
// chunk, so that a chunk never overwrites entries its own earlier rows still read. Padding rows
// (position < 0) write nothing. Model specification 2.9.2 and 5.2.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct WindowWrite {
  static constexpr std::string_view kName = "window_write";
  static constexpr auto kOperands =
      std::array<std::string_view, 4>{"kv", "swa_cache", "slots", "positions"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 0>{};
  static constexpr int kWrites = 1;
  static constexpr int kInPlace = -1;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& /*self*/, auto& /*visitor*/) {}
  bool operator==(const WindowWrite&) const = default;
};

}  // namespace deepinfer
