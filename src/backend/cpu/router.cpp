#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {
namespace {

/// log(1 + exp(x)); above 20 the two differ by less than an fp32 can hold (model specification
/// 2.10).
double softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

void scores_of(const Router& op, const float* logits, std::int64_t experts, float* scores) {
  for (std::int64_t e = 0; e < experts; ++e) scores[e] = logits[e] / op.temperature;
  switch (op.scoring) {
    case ScoringFunc::sqrtsoftplus:
      for (std::int64_t e = 0; e < experts; ++e)
        scores[e] = static_cast<float>(std::sqrt(softplus(scores[e])));
      return;
    case ScoringFunc::sigmoid:
      for (std::int64_t e = 0; e < experts; ++e) scores[e] = static_cast<float>(sigmoid(scores[e]));
      return;
    case ScoringFunc::softmax: {
      const double highest = *std::max_element(scores, scores + experts);
      double sum = 0;
      for (std::int64_t e = 0; e < experts; ++e) sum += std::exp(scores[e] - highest);
      for (std::int64_t e = 0; e < experts; ++e)
        scores[e] = static_cast<float>(std::exp(scores[e] - highest) / sum);
      return;
    }
  }
}

/// The expert with the largest key, the lowest index among equals. A taken expert's key is NaN.
std::int32_t take_best(float* keys, std::int64_t experts) {
  std::int64_t best = -1;
  for (std::int64_t e = 0; e < experts; ++e)
    if (!std::isnan(keys[e]) && (best < 0 || keys[e] > keys[best])) best = e;
  keys[best] = std::numeric_limits<float>::quiet_NaN();
  return static_cast<std::int32_t>(best);
}

void choose(const Router& op, const float* scores, float* keys, std::int64_t experts,
            std::int32_t* chosen, float* weights) {
  // A score that is no number loses against all others but is still an expert to choose.
  for (std::int64_t e = 0; e < experts; ++e)
    if (std::isnan(keys[e])) keys[e] = -std::numeric_limits<float>::infinity();

  double sum = 0;
  for (int rank = 0; rank < op.experts_per_token; ++rank) {
    chosen[rank] = take_best(keys, experts);
    sum += scores[chosen[rank]];
  }
  constexpr double kNoZeroDivision = 1e-20;  // model specification 2.10; not rms_norm_eps
  const bool normalise = op.normalise && op.experts_per_token > 1;
  for (int rank = 0; rank < op.experts_per_token; ++rank) {
    double weight = scores[chosen[rank]];
    if (normalise) weight /= sum + kNoZeroDivision;
    weights[rank] = static_cast<float>(weight * op.route_scale);
  }
}

std::size_t scratch_bytes(std::size_t experts) {
  return 2 * host::WorkspaceCarver::bytes_for<float>(experts);
}

}  // namespace

std::size_t router_workspace(const Graph& graph, const Node& node, int threads) {
  const auto experts = static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]);
  return host::WorkspaceCarver::bytes_for<float>(experts) +
         static_cast<std::size_t>(threads) * scratch_bytes(experts);
}

void router(const Router& op, const Operands& io, KernelContext& context) {
  const TensorRef& logits = io.in(0);
  const TensorRef& chosen = io.out(0);
  const TensorRef& weights = io.out(1);
  const std::int64_t experts = logits.shape[1];
  const auto count = static_cast<std::size_t>(experts);
  constexpr std::int64_t kCostOfScore = 64;  // element visits that one score takes as long as

  host::WorkspaceCarver shared(context.workspace);
  auto* bias = shared.take<float>(count);
  auto* scratch = shared.take<std::byte>(0);
  widen(io.weight(1), 0, experts, bias);

  split_items(
      context, logits.shape[0], experts * kCostOfScore,
      [&](std::int64_t begin, std::int64_t end, int member) {
        host::WorkspaceCarver carver(scratch +
                                     static_cast<std::size_t>(member) * scratch_bytes(count));
        auto* scores = carver.take<float>(count);
        auto* keys = carver.take<float>(count);
        for (std::int64_t row = begin; row < end; ++row) {
          scores_of(op, logits.row<float>(row), experts, scores);
          for (std::int64_t e = 0; e < experts; ++e) keys[e] = scores[e] + bias[e];
          choose(op, scores, keys, experts, chosen.row<std::int32_t>(row), weights.row<float>(row));
        }
      });
}

}  // namespace deepinfer::cpu
