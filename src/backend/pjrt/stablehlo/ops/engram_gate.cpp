// Model specification 3.6, steps 3 to 6.

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/op_io.h"

#include <cmath>

namespace deepinfer::pjrt {
namespace {

constexpr double kSmallestDot = 1e-6;  // a literal of 3.6, step 4

/// sqrt(mean(x^2) + eps) over the last of three axes.
Val root_mean_square(ModuleWriter& w, const Val& x, double eps) {
  const Val sum = w.reduce("add", w.mul(x, x), 2);
  return w.unary("sqrt", w.add(w.div(sum, static_cast<double>(x.dim(2))), eps));
}

}  // namespace

void lower(const EngramGate& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& streams = io.in(0);
  const Dims& dims = streams.dims;
  const std::int64_t keys = dims[1] * dims[2];
  const Val key = w.reshape(w.slice_axis(io.in(1), 1, 0, keys), dims);
  const Val value = w.slice_axis(io.in(1), 1, keys, keys + dims[2]);

  const Val weight = w.mul(widen(w, io.weight(2).codes), widen(w, io.weight(3).codes));
  const Val weighted = w.mul(streams, w.broadcast(weight, dims, {1, 2}));
  const Val dot = w.reduce("add", w.mul(weighted, key), 2);
  const Val norm = w.mul(root_mean_square(w, streams, op.eps), root_mean_square(w, key, op.eps));
  const Val scaled = w.div(w.div(dot, norm), std::sqrt(static_cast<double>(dims[2])));
  const Val root = w.unary("sqrt", w.max(w.unary("abs", scaled), kSmallestDot));
  // The sign bit, so that a zero has one too.
  const Val negative = w.compare("LT", w.bitcast(scaled, Element::i32), 0.0);
  const Val gate = w.unary("logistic", w.select(negative, w.unary("negate", root), root));

  const Val added = w.mul(w.broadcast(gate, dims, {0, 1}), w.broadcast(value, dims, {0, 2}));
  io.out(0, rounded(w, w.add(streams, added), op.rounding));
  io.out(1, gate);
}

}  // namespace deepinfer::pjrt
