// Model specification 2.8.

#include <array>
#include "backend/pjrt/stablehlo/op_io.h"

namespace deepinfer::pjrt {

Val rotate(ModuleWriter& w, const Rope& op, const Val& x, const Val& positions) {
  const auto pairs = static_cast<std::int64_t>(op.frequencies->size());
  const std::int64_t rows = x.dim(0);
  const std::int64_t heads = x.dim(1) / op.head_dim;
  const std::int64_t still = op.head_dim - 2 * pairs;

  Val first = w.max(positions, 0.0);
  if (op.position_step > 1)
    first = w.mul(w.binary("divide", first, double(op.position_step)), double(op.position_step));
  const Dims angles = {rows, pairs};
  // The angle is rounded to fp32 before its cosine is taken.
  const Val theta = w.mul(w.broadcast(w.convert(first, Element::f32), angles, {0}),
                          w.broadcast(w.table(*op.frequencies), angles, {1}));
  const Val sine = w.unary("sine", theta);
  const Dims each = {rows, heads, pairs, 1};
  const auto spread = [&](const Val& values) {
    return w.broadcast(w.reshape(values, {rows, 1, pairs, 1}), each, {0, 1, 2, 3});
  };
  const Val cosines = spread(w.unary("cosine", theta));
  const Val sines = spread(op.inverse ? w.unary("negate", sine) : sine);

  const Val in_heads = w.reshape(x, {rows, heads, op.head_dim});
  const Val turning =
      w.reshape(w.slice_axis(in_heads, 2, still, op.head_dim), {rows, heads, pairs, 2});
  const Val a = w.slice_axis(turning, 3, 0, 1);
  const Val b = w.slice_axis(turning, 3, 1, 2);
  const std::array<Val, 2> turned = {w.sub(w.mul(a, cosines), w.mul(b, sines)),
                                     w.add(w.mul(a, sines), w.mul(b, cosines))};
  const Val rotated =
      rounded(w, w.reshape(w.concatenate(turned, 3), {rows, heads, 2 * pairs}), op.rounding);
  const std::array<Val, 2> parts = {w.slice_axis(in_heads, 2, 0, still), rotated};
  return w.reshape(still == 0 ? rotated : w.concatenate(parts, 2), x.dims);
}

void lower(const Rope& op, OpIo& io) { io.out(0, rotate(io.w, op, io.in(0), io.in(1))); }

}  // namespace deepinfer::pjrt
