// Model specification 2.4.

#include <algorithm>

#include "backend/reference/arithmetic.h"
#include "backend/reference/hyper_connection.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void sinkhorn(double* comb, std::int64_t n, int iterations, double eps) {
  for (std::int64_t a = 0; a < n; ++a) {  // row softmax
    double* row = comb + a * n;
    const double largest = *std::max_element(row, row + n);
    double sum = 0;
    for (std::int64_t b = 0; b < n; ++b) sum += row[b] = std::exp(row[b] - largest);
    for (std::int64_t b = 0; b < n; ++b) row[b] = row[b] / sum + eps;
  }
  const auto column_step = [&] {
    for (std::int64_t b = 0; b < n; ++b) {
      double sum = eps;
      for (std::int64_t a = 0; a < n; ++a) sum += comb[a * n + b];
      for (std::int64_t a = 0; a < n; ++a) comb[a * n + b] /= sum;
    }
  };
  const auto row_step = [&] {
    for (std::int64_t a = 0; a < n; ++a) {
      double sum = eps;
      for (std::int64_t b = 0; b < n; ++b) sum += comb[a * n + b];
      for (std::int64_t b = 0; b < n; ++b) comb[a * n + b] /= sum;
    }
  };
  column_step();
  for (int round = 1; round < iterations; ++round) {
    row_step();
    column_step();
  }
}

void hc_split(const HcMix& op, const double* m, const WeightRef& scale, const WeightRef& base,
              std::int64_t hc, double* comb, const MixResult& result) {
  const auto element = [&](std::int64_t j, int part) {
    return m[j] * plain_element(scale, part) + plain_element(base, j);
  };
  for (std::int64_t s = 0; s < hc; ++s) {
    result.pre[s] = static_cast<float>(sigmoid(element(s, 0)) + op.hc_eps);
    result.post[s] = static_cast<float>(2 * sigmoid(element(hc + s, 1)));
  }
  for (std::int64_t i = 0; i < hc * hc; ++i) comb[i] = element(2 * hc + i, 2);
  sinkhorn(comb, hc, op.sinkhorn_iters, op.hc_eps);
  for (std::int64_t i = 0; i < hc * hc; ++i) result.comb[i] = static_cast<float>(comb[i]);
}

std::size_t hc_mix_workspace(const Graph& graph, const Node& node, int /*threads*/) {
  const auto hc = static_cast<std::size_t>(graph.value(node.operands[0]).shape[1]);
  using host::WorkspaceCarver;
  return WorkspaceCarver::bytes_for<double>((2 + hc) * hc) +
         WorkspaceCarver::bytes_for<double>(hc * hc);
}

void hc_mix(const HcMix& op, const Operands& io, KernelContext& context) {
  const TensorRef& streams = io.in(0);
  const WeightRef& fn = io.weight(1);
  const std::int64_t hc = streams.shape[1];
  const std::int64_t width = hc * streams.shape[2];
  const std::int64_t mixes = fn.shape[0];
  host::WorkspaceCarver carver(context.workspace);
  auto* m = carver.take<double>(static_cast<std::size_t>(mixes));
  auto* comb = carver.take<double>(static_cast<std::size_t>(hc * hc));
  for (std::int64_t t = 0; t < streams.shape[0]; ++t) {
    const float* x = streams.row<float>(t);
    double square = 0;
    for (std::int64_t i = 0; i < width; ++i) square += static_cast<double>(x[i]) * x[i];
    const double q = 1 / std::sqrt(square / static_cast<double>(width) + op.eps);
    for (std::int64_t j = 0; j < mixes; ++j) m[j] = dot_row(fn, j, x) * q;
    hc_split(op, m, io.weight(2), io.weight(3), hc, comb,
             {.pre = io.out(0).row<float>(t),
              .post = io.out(1).row<float>(t),
              .comb = io.out(2).row<float>(t)});
  }
}

}  // namespace deepinfer::reference
