// Model specification 2.10, router.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {
namespace {

constexpr double kLinearFrom = 20;      // softplus(l) = l above
constexpr double kWeightFloor = 1e-20;  // a literal of 2.10, not rms_norm_eps

/// Scores of one row, rounded to fp32.
void score(ScoringFunc scoring, double temperature, const float* logits, std::int64_t experts,
           float* scores) {
  double largest = logits[0] / temperature;
  for (std::int64_t e = 0; e < experts; ++e) largest = std::max(largest, logits[e] / temperature);
  double sum = 0;
  for (std::int64_t e = 0; e < experts; ++e)
    sum += std::exp(static_cast<float>(logits[e] / temperature) - largest);
  for (std::int64_t e = 0; e < experts; ++e) {
    const double l = static_cast<float>(logits[e] / temperature);
    switch (scoring) {
      case ScoringFunc::sqrtsoftplus:
        scores[e] = static_cast<float>(std::sqrt(l > kLinearFrom ? l : std::log1p(std::exp(l))));
        break;
      case ScoringFunc::sigmoid:
        scores[e] = static_cast<float>(sigmoid(l));
        break;
      case ScoringFunc::softmax:
        scores[e] = static_cast<float>(std::exp(l - largest) / sum);
        break;
    }
  }
}

}  // namespace

std::size_t router_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto experts = static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]);
  return 2 * host::WorkspaceCarver::bytes_for<float>(experts);
}

void router(const Router& op, const Operands& io, KernelContext& context) {
  const TensorRef& logits = io.in(0);
  const std::int64_t experts = logits.shape[1];
  host::WorkspaceCarver carver(context.workspace);
  auto* scores = carver.take<float>(static_cast<std::size_t>(experts));
  auto* biased = carver.take<float>(static_cast<std::size_t>(experts));
  for (std::int64_t t = 0; t < logits.shape[0]; ++t) {
    score(op.scoring, op.temperature, logits.row<float>(t), experts, scores);
    for (std::int64_t e = 0; e < experts; ++e)
      biased[e] = scores[e] + plain_element(io.weight(1), e);
    auto* chosen = io.out(0).row<std::int32_t>(t);
    float* weights = io.out(1).row<float>(t);
    double sum = 0;
    for (int k = 0; k < op.experts_per_token; ++k) {
      std::int64_t best = -1;
      for (std::int64_t e = 0; e < experts; ++e) {
        const bool taken = std::find(chosen, chosen + k, e) != chosen + k;
        if (!taken && (best < 0 || biased[e] > biased[best])) best = e;
      }
      chosen[k] = static_cast<std::int32_t>(best);
      weights[k] = scores[best];
      sum += scores[best];
    }
    const double norm = op.normalise && op.experts_per_token > 1 ? sum + kWeightFloor : 1;
    for (int k = 0; k < op.experts_per_token; ++k)
      weights[k] = static_cast<float>(weights[k] / norm * op.route_scale);
  }
}

}  // namespace deepinfer::reference
