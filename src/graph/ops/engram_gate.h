#pragma once

// engram_gate: adds the gated engram value to every residual stream.
//
// kv = [key of stream 0 | … | key of stream HC-1 | value]. Statistics are per stream, over the
// width.
//   gate[s] = sigmoid(signed_sqrt(<X[s] * q_weight[s] * k_weight[s], key[s]> * rstd[s] / sqrt(D)))
//   X[s] += gate[s] * value
// Model specification 3.6, steps 3 to 6.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct EngramGate {
  static constexpr std::string_view kName = "engram_gate";
  static constexpr auto kOperands =
      std::array<std::string_view, 4>{"streams", "kv", "q_weight", "k_weight"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 2>{"streams", "gate"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = 0;

  float eps = 0;  ///< rms_norm_eps
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("eps", self.eps);
    visitor("round", self.rounding);
  }
  bool operator==(const EngramGate&) const = default;
};

}  // namespace deepinfer
