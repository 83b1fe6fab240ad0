// Model specification 2.10, experts.

#include "backend/reference/moe.h"

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"
#include "core/quantise.h"

namespace deepinfer::reference {

float swiglu(float gate, float up, double weight, float limit, Rounding rounding) {
  double g = gate;
  double u = up;
  if (limit > 0) {
    u = std::clamp<double>(u, -limit, limit);
    g = std::min<double>(g, limit);  // no lower clamp on the gate
  }
  return rounded(g / (1 + std::exp(-g)) * u * weight, rounding);
}

namespace {

struct Scratch {
  float* input;  // [hidden] of the row, quantised if asked
  float* inner;  // [moe width]
  double* sum;   // [hidden]
};

/// Adds one expert's output for one row to scratch.sum.
void add_expert(const Moe& op, const WeightRef& w1, const WeightRef& w3, const WeightRef& w2,
                double weight, const Scratch& scratch) {
  const std::int64_t inner = w1.shape[0];
  for (std::int64_t i = 0; i < inner; ++i) {
    const float g = rounded(dot_row(w1, i, scratch.input), op.rounding);
    const float u = rounded(dot_row(w3, i, scratch.input), op.rounding);
    scratch.inner[i] = swiglu(g, u, weight, op.swiglu_limit, op.rounding);
  }
  if (op.quantise_input)
    deepinfer::fake_quantise(Quantiser::q8, {scratch.inner, static_cast<std::size_t>(inner)});
  for (std::int64_t d = 0; d < w2.shape[0]; ++d)
    scratch.sum[d] += rounded(dot_row(w2, d, scratch.inner), op.rounding);
}

}  // namespace

std::size_t moe_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto hidden = static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]);
  const auto inner = static_cast<std::size_t>(graph.value(node.operands[4]).shape[1]);
  using host::WorkspaceCarver;
  return WorkspaceCarver::bytes_for<float>(hidden) + WorkspaceCarver::bytes_for<float>(inner) +
         WorkspaceCarver::bytes_for<double>(hidden);
}

void moe(const Moe& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const auto hidden = static_cast<std::size_t>(x.shape[1]);
  const auto* positions = io.in(3).as<std::int32_t>();
  const auto w1 = io.bank(4);
  const auto w3 = io.bank(5);
  const auto w2 = io.bank(6);
  host::WorkspaceCarver carver(context.workspace);
  Scratch scratch{};
  scratch.input = carver.take<float>(hidden);
  scratch.inner = carver.take<float>(static_cast<std::size_t>(w1.front().shape[0]));
  scratch.sum = carver.take<double>(hidden);

  for (std::int64_t t = 0; t < x.shape[0]; ++t) {
    std::fill_n(scratch.sum, hidden, 0.0);
    if (positions[t] >= 0) {
      std::copy_n(x.row<float>(t), hidden, scratch.input);
      if (op.quantise_input) deepinfer::fake_quantise(Quantiser::q8, {scratch.input, hidden});
      const auto* chosen = io.in(1).row<std::int32_t>(t);
      const float* weights = io.in(2).row<float>(t);
      const std::int64_t k = io.in(1).shape[1];
      for (std::size_t e = 0; e < w1.size(); ++e) {
        const auto* at = std::find(chosen, chosen + k, static_cast<std::int32_t>(e));
        if (at != chosen + k) add_expert(op, w1[e], w3[e], w2[e], weights[at - chosen], scratch);
      }
      add_expert(op, io.weight(7), io.weight(8), io.weight(9), 1, scratch);
    }
    for (std::size_t d = 0; d < hidden; ++d)
      io.out(0).row<float>(t)[d] = rounded(scratch.sum[d], op.rounding);
  }
}

}  // namespace deepinfer::reference
