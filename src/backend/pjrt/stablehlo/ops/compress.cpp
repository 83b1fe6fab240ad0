// Model specification 2.9.3, ratio 2.

#include "backend/pjrt/stablehlo/op_io.h"

#include <array>

namespace deepinfer::pjrt {
namespace {

/// Values at `index` where that is not negative, else `otherwise`.
Val pick(ModuleWriter& w, const Val& values, const Val& index, const Val& otherwise) {
  const Val there = w.broadcast(w.compare("GE", index, 0.0), values.dims, {0});
  return w.select(there, w.gather_rows(values, clamp_index(w, index, values.dim(0))), otherwise);
}

Val flags_like(ModuleWriter& w, const Val& flags, const Val& like) {
  return w.broadcast(flags, like.dims, {0});
}

/// Whether row t is the last of its sequence in this step: no row t + 1 that follows it.
Val is_last(ModuleWriter& w, const Val& previous) {
  const std::int64_t rows = previous.dim(0);
  const Val behind = w.slice_axis(previous, 0, 1, rows);
  const Val shifted = w.pad_axis(behind, 0, rows, w.i32(-1));
  return w.compare("NE", shifted, w.iota(Element::i32, {rows}, 0));
}

/// `records` to be written after `read`, which was computed from what lies there now: a compiler
/// that sees no order between a read and a write of a root keeps a copy of it for the reader. The
/// order is a choice that no row takes, since no position is below -1.
Val after(ModuleWriter& w, const Val& records, const Val& read, const Val& positions) {
  const Val never =
      w.both(w.compare("LT", positions, -2.0),
             w.compare("LT", w.reshape(w.slice_axis(read, 1, 0, 1), {read.dim(0)}), 0.0));
  return w.select(flags_like(w, never, records), w.constant(records.type, 0, records.dims),
                  records);
}

}  // namespace

void lower(const Compress& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const Val& a = io.in(0);
  const Val& g = io.in(1);
  const CacheVal& state = io.cache(2);
  const Val slots = clamp_index(w, io.in(3), state.shape[0]);
  const Val& positions = io.in(4);
  const Val& previous = io.in(5);
  const std::int64_t rows = a.dim(0);
  const std::int64_t width = a.dim(1);
  const Val zero = w.i32(0, {rows});

  const std::int64_t bytes = state.column_bytes();
  const Val held = read_records(w, state, slots, zero, bytes);
  const Val pending = w.bitcast(w.reshape(held, {rows, 2 * width, 4}), Element::f32);
  const Val first_a = pick(w, a, previous, w.slice_axis(pending, 1, 0, width));
  const Val first_g = pick(w, g, previous, w.slice_axis(pending, 1, width, 2 * width));
  const Val largest = w.max(first_g, g);
  const Val w0 = w.unary("exponential", w.sub(first_g, largest));
  const Val w1 = w.unary("exponential", w.sub(g, largest));
  const Val pooled = w.div(w.add(w.mul(w0, first_a), w.mul(w1, a)), w.add(w0, w1));

  const Val real = w.compare("GE", positions, 0.0);
  const Val odd = w.compare("NE", w.binary("and", positions, 1.0), 0.0);
  const Val ends = w.both(real, odd);
  io.out(0, w.select(flags_like(w, ends, a), rounded(w, pooled, op.rounding), w.f32(0)));

  // The last row of a sequence leaves its half group for the next step.
  const Val leaves = w.both(w.both(real, w.unary("not", odd)), is_last(w, previous));
  const Val halves = w.concatenate(std::array<Val, 2>{a, g}, 1);
  const Val records = w.reshape(w.bitcast(halves, Element::ui8), {rows, bytes});
  io.write(write_records(w, state, slots, zero, leaves, after(w, records, pooled, positions)));
}

}  // namespace deepinfer::pjrt
