// Model specification 2.3.

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

Val normalise(ModuleWriter& w, const RmsNorm& op, const Val& x, const WeightVal& weight) {
  const Val square = w.div(w.reduce("add", w.mul(x, x), 1), static_cast<double>(x.dim(1)));
  const Val root = w.unary("sqrt", w.add(square, double{op.eps}));
  const Val normal = w.div(x, w.broadcast(root, x.dims, {0}));
  return rounded(w, w.mul(w.broadcast(widen(w, weight.codes), x.dims, {1}), normal), op.rounding);
}

void lower(const RmsNorm& op, OpIo& io) { io.out(0, normalise(io.w, op, io.in(0), io.weight(1))); }

}  // namespace deepinfer::pjrt
