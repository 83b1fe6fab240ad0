// Model specification 2.10, experts.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"

#include <array>

namespace deepinfer::pjrt {
namespace {

/// weight * silu(g) * u with the op's clamps; `weight` is f32 [n].
Val swiglu(ModuleWriter& w, const Moe& op, const Val& gate, const Val& up, const Val& weight) {
  Val g = gate;
  Val u = up;
  if (op.swiglu_limit > 0) {
    const double limit = op.swiglu_limit;
    u = w.max(w.min(u, limit), -limit);
    g = w.min(g, limit);  // no lower clamp on the gate
  }
  const Val silu = w.mul(g, w.unary("logistic", g));
  const Val m = w.mul(w.mul(silu, u), w.broadcast(weight, gate.dims, {0}));
  return rounded(w, m, op.rounding);
}

struct Expert {
  WeightVal w1;
  WeightVal w3;
  WeightVal w2;
};

/// One expert's output for the rows of x [n, hidden] with the weights [n].
Val expert_output(OpIo& io, const Moe& op, const Expert& expert, const Val& x, const Val& weight) {
  ModuleWriter& w = io.w;
  const Val g = rounded(w, product(w, io.types, x, expert.w1), op.rounding);
  const Val u = rounded(w, product(w, io.types, x, expert.w3), op.rounding);
  Val inner = swiglu(w, op, g, u, weight);
  if (op.quantise_input) inner = fake_quantise(w, io.types, Quantiser::q8, inner);
  return rounded(w, product(w, io.types, inner, expert.w2), op.rounding);
}

Expert bank_expert(OpIo& io, const Val& index) {
  return {.w1 = expert_of(io.w, io.weight(4), index),
          .w3 = expert_of(io.w, io.weight(5), index),
          .w2 = expert_of(io.w, io.weight(6), index)};
}

/// Every expert over all rows; rows that did not choose it add nothing.
Val sum_over_experts(OpIo& io, const Moe& op, const Val& x) {
  ModuleWriter& w = io.w;
  const Val& chosen = io.in(1);
  const Val& weights = io.in(2);
  const std::array<Val, 1> zero = {w.f32(0, x.dims)};
  return w.loop(io.weight(4).dims[0], zero, [&](const Val& e, const std::vector<Val>& sum) {
    const Val here = w.compare("EQ", chosen, e);
    const Val weight = w.reduce("add", w.select(here, weights, w.f32(0)), 1);
    const Val any = w.reduce("or", here, 1);
    const Val y = expert_output(io, op, bank_expert(io, e), x, weight);
    const Val own = w.select(w.broadcast(any, y.dims, {0}), y, w.f32(0));
    return std::vector<Val>{w.add(sum[0], own)};
  })[0];
}

/// Row by row, every chosen expert of it.
Val sum_over_choices(OpIo& io, const Moe& op, const Val& x) {
  ModuleWriter& w = io.w;
  const std::int64_t choices = io.in(1).elements();
  const auto per_row = double(io.in(1).dim(1));
  const Val chosen = clamp_index(w, w.reshape(io.in(1), {choices}), io.weight(4).dims[0]);
  const Val weights = w.reshape(io.in(2), {choices});
  const std::array<Val, 1> zero = {w.f32(0, x.dims)};
  return w.loop(choices, zero, [&](const Val& i, const std::vector<Val>& sum) {
    const Val row = w.binary("divide", i, per_row);
    const Val e = w.reshape(w.take(chosen, i, 1), {});
    const Val y =
        expert_output(io, op, bank_expert(io, e), w.take(x, row, 1), w.take(weights, i, 1));
    return std::vector<Val>{w.put(sum[0], w.add(w.take(sum[0], row, 1), y), row)};
  })[0];
}

}  // namespace

void lower(const Moe& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val x = op.quantise_input ? fake_quantise(w, io.types, Quantiser::q8, io.in(0)) : io.in(0);
  // Either way one expert is unpacked at a time; whichever loop is shorter unpacks fewer.
  const bool dense = io.weight(4).dims[0] <= io.in(1).elements();
  const Val routed = dense ? sum_over_experts(io, op, x) : sum_over_choices(io, op, x);
  const Expert shared = {.w1 = io.weight(7), .w3 = io.weight(8), .w2 = io.weight(9)};
  const Val own = expert_output(io, op, shared, x, w.f32(1, {x.dim(0)}));
  const Val y = rounded(w, w.add(routed, own), op.rounding);
  const Val real = w.broadcast(w.compare("GE", io.in(3), 0.0), y.dims, {0});
  io.out(0, w.select(real, y, w.f32(0)));
}

}  // namespace deepinfer::pjrt
