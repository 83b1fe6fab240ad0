#pragma once

// router: the experts of a row and their weights.
//
//   score = sqrt(softplus(logits / temperature)) (or sigmoid, softmax)
//   experts = the k largest of score + bias (ties: lower index), in that order
//   weights = score of the chosen, normalised over them if norm_topk_prob, times route_scale
// Model specification 2.10.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"
#include "graph/scoring_func.h"

namespace deepinfer {

struct Router {
  static constexpr std::string_view kName = "router";
  static constexpr auto kOperands = std::array<std::string_view, 2>{"logits", "bias"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 2>{"experts", "weights"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int experts_per_token = 0;
  ScoringFunc scoring = ScoringFunc::sqrtsoftplus;
  float temperature = 1;  ///< gate_temp
  bool normalise = true;  ///< norm_topk_prob
  float route_scale = 1;  ///< routed_scaling_factor

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("experts_per_token", self.experts_per_token);
    visitor("scoring", self.scoring);
    visitor("temperature", self.temperature);
    visitor("normalise", self.normalise);
    visitor("route_scale", self.route_scale);
  }
  bool operator==(const Router&) const = default;
};

}  // namespace deepinfer
