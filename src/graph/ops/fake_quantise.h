#pragma once

// fake_quantise: x put on a quantiser's grid and back, per block of channels.
//
// Part of the model (it was trained with it), in both numerics. Model specification 2.7.

#include <array>
#include <string_view>
#include <vector>

#include "core/quantise.h"
#include "graph/op_support.h"

namespace deepinfer {

struct FakeQuantise {
  static constexpr std::string_view kName = "fake_quantise";
  static constexpr auto kOperands = std::array<std::string_view, 1>{"x"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"y"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 0;

  Quantiser quantiser = Quantiser::q4u;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) { visitor("quantiser", self.quantiser); }
  bool operator==(const FakeQuantise&) const = default;
};

}  // namespace deepinfer
