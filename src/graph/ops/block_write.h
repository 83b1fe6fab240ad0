#pragma once

// block_write: quantises each finished group's vector and stores it in the sequence's blocks.
//
// A row writes only if its position is the last of a group of `ratio`; entry j = position / ratio
// lies in block block_table[slot, j / entries] at j mod entries. Padding rows write nothing. Model
// specification 2.9.3 and 5.2.

#include <array>
#include <string_view>
#include <vector>

#include "core/quantise.h"
#include "graph/op_support.h"

namespace deepinfer {

struct BlockWrite {
  static constexpr std::string_view kName = "block_write";
  static constexpr auto kOperands =
      std::array<std::string_view, 5>{"values", "cache", "block_table", "slots", "positions"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 0>{};
  static constexpr int kWrites = 1;
  static constexpr int kInPlace = -1;

  Quantiser quantiser = Quantiser::q4e;
  int ratio = 1;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("quantiser", self.quantiser);
    visitor("ratio", self.ratio);
  }
  bool operator==(const BlockWrite&) const = default;
};

}  // namespace deepinfer
