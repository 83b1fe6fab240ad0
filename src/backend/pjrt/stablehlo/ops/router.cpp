// Model specification 2.10, router.

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/op_io.h"

#include <array>
#include <limits>

namespace deepinfer::pjrt {
namespace {

constexpr double kLinearFrom = 20;      // softplus(l) = l above
constexpr double kWeightFloor = 1e-20;  // a literal of 2.10, not rms_norm_eps

Val scores_of(ModuleWriter& w, ScoringFunc scoring, const Val& logits) {
  switch (scoring) {
    case ScoringFunc::sigmoid:
      return w.unary("logistic", logits);
    case ScoringFunc::softmax: {
      const Val largest = w.broadcast(w.reduce("maximum", logits, 1), logits.dims, {0});
      const Val exponents = w.unary("exponential", w.sub(logits, largest));
      return w.div(exponents, w.broadcast(w.reduce("add", exponents, 1), logits.dims, {0}));
    }
    case ScoringFunc::sqrtsoftplus:
      break;
  }
  const Val soft = w.unary("log_plus_one", w.unary("exponential", w.min(logits, kLinearFrom)));
  return w.unary("sqrt", w.select(w.compare("GT", logits, kLinearFrom), logits, soft));
}

}  // namespace

void lower(const Router& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val logits = op.temperature == 1 ? io.in(0) : w.div(io.in(0), double{op.temperature});
  const std::int64_t rows = logits.dim(0);
  const std::int64_t experts = logits.dim(1);
  const Val scores = scores_of(w, op.scoring, logits);
  const Val bias = w.broadcast(widen(w, io.weight(1).codes), logits.dims, {1});

  // The best of those left, once per choice: few are chosen, and no sort need be exact about ties.
  Val left = w.add(scores, bias);
  const Val number = w.iota(Element::i32, logits.dims, 1);
  std::vector<Val> chosen;
  std::vector<Val> weights;
  for (int k = 0; k < op.experts_per_token; ++k) {
    const Val best = w.broadcast(w.reduce("maximum", left, 1), left.dims, {0});
    const Val candidates =
        w.select(w.compare("EQ", left, best), number, w.i32(experts - 1, left.dims));
    const Val expert = w.reduce("minimum", candidates, 1);
    const Val taken = w.compare("EQ", number, w.broadcast(expert, left.dims, {0}));
    const Val own = w.reduce("add", w.select(taken, scores, w.f32(0)), 1);
    chosen.push_back(w.reshape(expert, {rows, 1}));
    weights.push_back(w.reshape(own, {rows, 1}));
    left = w.select(taken, w.f32(-std::numeric_limits<double>::infinity()), left);
  }
  io.out(0, w.concatenate(chosen, 1));
  Val weight = w.concatenate(weights, 1);
  if (op.normalise && op.experts_per_token > 1) {
    const Val sum = w.add(w.reduce("add", weight, 1), kWeightFloor);
    weight = w.div(weight, w.broadcast(sum, weight.dims, {0}));
  }
  io.out(1, w.mul(weight, double{op.route_scale}));
}

}  // namespace deepinfer::pjrt
