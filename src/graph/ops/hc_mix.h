#pragma once

// hc_mix: the three mixing weights of a hyper-connection site, from all streams of a row.
//
//   m = (fn . flatten(X)) * rsqrt(mean(X^2) + eps)      one statistic over all HC*D values
//   pre  = sigmoid(m * scale[0] + base) + hc_eps
//   post = 2 * sigmoid(m * scale[1] + base)
//   comb = Sinkhorn(m * scale[2] + base)                row softmax first, column step last
// Model specification 2.4.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"

namespace deepinfer {

struct HcMix {
  static constexpr std::string_view kName = "hc_mix";
  static constexpr auto kOperands =
      std::array<std::string_view, 4>{"streams", "fn", "scale", "base"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 3>{"pre", "post", "comb"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int sinkhorn_iters = 0;
  float hc_eps = 0;
  float eps = 0;  ///< rms_norm_eps

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("sinkhorn_iters", self.sinkhorn_iters);
    visitor("hc_eps", self.hc_eps);
    visitor("eps", self.eps);
  }
  bool operator==(const HcMix&) const = default;
};

}  // namespace deepinfer
