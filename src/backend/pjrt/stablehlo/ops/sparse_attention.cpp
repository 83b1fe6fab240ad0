// Model specification 2.9.10.

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"
#include "backend/pjrt/stablehlo/row_chunks.h"

#include <array>

namespace deepinfer::pjrt {
namespace {

constexpr std::int64_t kOnlineBlock = 64;  // list entries per block of the official kernel
constexpr double kNoMaximum = -1e30;       // its running maximum before the first entry

/// The entries that rows see: dequantised values, and which of them are there.
struct EntryList {
  Val values;   ///< f32 [n, count, width], 0 where absent
  Val present;  ///< i1 [n, count]
};

/// Absent entries lie on bytes of others, or of nobody.
Val only_present(ModuleWriter& w, const Val& values, const Val& present) {
  return w.select(w.broadcast(present, values.dims, {0, 1}), values, w.f32(0));
}

/// rows = q [n, heads * width], slots [n], positions [n] and, with a block cache, selected [n, k].
EntryList gather(OpIo& io, const SparseAttention& op, std::span<const Val> rows) {
  ModuleWriter& w = io.w;
  const CacheVal& ring = io.cache(1);
  const std::int64_t n = rows[0].dim(0);
  const std::int64_t width = rows[0].dim(1) / op.heads;
  const Dims dims = {n, op.window};
  const Val oldest = w.sub(w.broadcast(rows[2], dims, {0}), double(op.window - 1));
  const Val at = w.add(oldest, w.iota(Element::i32, dims, 1));
  EntryList list{.values = {}, .present = w.compare("GE", at, 0.0)};
  const Val place = w.binary("remainder", w.max(at, 0.0), double(ring.shape[1]));
  const Val slots = w.broadcast(clamp_index(w, rows[1], ring.shape[0]), dims, {0});
  const Val records =
      read_records(w, ring, slots, w.mul(place, double(ring.shape[2])), ring.shape[2]);
  list.values = dequantise(w, io.types, Quantiser::q8, records, width);
  if (io.has(5)) {
    const Val& selected = rows[3];
    const Val chosen = read_entries(w, io.cache(5), io.in(6), rows[1], selected);
    const Val values = dequantise(w, io.types, Quantiser::q4e, chosen, width);
    list.values = w.concatenate(std::array<Val, 2>{list.values, values}, 1);
    list.present =
        w.concatenate(std::array<Val, 2>{list.present, w.compare("GE", selected, 0.0)}, 1);
  }
  list.values = only_present(w, list.values, list.present);
  return list;
}

/// What every entry weighs, f32 [n, heads, count], and the sum of it with the sink, [n, heads].
struct Weights {
  Val each;
  Val sum;
};

Weights softmax_exact(ModuleWriter& w, const Val& scores, const Val& present, const Val& sink) {
  const Val largest = w.max(w.reduce("maximum", scores, 2), kNoMaximum);
  const Val exponents =
      w.unary("exponential", w.sub(scores, w.broadcast(largest, scores.dims, {0, 1})));
  const Val each = w.select(present, exponents, w.f32(0));
  const Val own = w.unary("exponential", w.sub(sink, largest));
  return {.each = each, .sum = w.add(w.reduce("add", each, 2), own)};
}

/// Probabilities are rounded relative to the maximum up to their own block, as the official kernel
/// does block by block; what it shrinks by later blocks is one factor per block here.
Weights softmax_online(ModuleWriter& w, const Val& scores, const Val& present, const Val& sink) {
  const std::int64_t n = scores.dim(0);
  const std::int64_t heads = scores.dim(1);
  const std::int64_t count = scores.dim(2);
  const std::int64_t blocks = (count + kOnlineBlock - 1) / kOnlineBlock;
  const Val whole = w.pad_axis(scores, 2, blocks * kOnlineBlock, w.f32(kNoMaximum));
  const Val best = w.reduce("maximum", w.reshape(whole, {n, heads, blocks, kOnlineBlock}), 3);
  // Running maxima: entry [b, c] of the square is block c's best if c <= b.
  const Dims square = {n, heads, blocks, blocks};
  const Val before =
      w.compare("LE", w.iota(Element::i32, square, 3), w.iota(Element::i32, square, 2));
  const Val running =
      w.max(w.reduce("maximum",
                     w.select(before, w.broadcast(best, square, {0, 1, 3}), w.f32(kNoMaximum)), 3),
            kNoMaximum);
  const Val largest = w.reduce("maximum", running, 2);
  const Val shrink =
      w.unary("exponential", w.sub(running, w.broadcast(largest, running.dims, {0, 1})));
  const auto per_entry = [&](const Val& values) {
    const Val spread = w.broadcast(values, {n, heads, blocks, kOnlineBlock}, {0, 1, 2});
    return w.slice_axis(w.reshape(spread, {n, heads, blocks * kOnlineBlock}), 2, 0, count);
  };
  const Val exponents = w.unary("exponential", w.sub(scores, per_entry(running)));
  const Val p = w.select(present, exponents, w.f32(0));
  const Val factors = per_entry(shrink);
  const Val own = w.unary("exponential", w.sub(sink, largest));
  return {.each = w.mul(w.round_bf16(p), factors),
          .sum = w.add(w.reduce("add", w.mul(p, factors), 2), own)};
}

Val attend(OpIo& io, const SparseAttention& op, std::span<const Val> rows) {
  ModuleWriter& w = io.w;
  const std::int64_t n = rows[0].dim(0);
  const std::int64_t width = rows[0].dim(1) / op.heads;
  const EntryList list = gather(io, op, rows);
  const Val queries = w.reshape(rows[0], {n, op.heads, width});
  const Val dots = w.dot(queries, list.values, {2}, {2}, {0}, {0});  // [n, heads, count]
  const Val present = w.broadcast(list.present, dots.dims, {0, 2});
  const Val scores = w.select(present, w.mul(dots, double{op.softmax_scale}), w.f32(kNoMaximum));
  const Val sink = w.broadcast(widen(w, io.weight(4).codes), {n, op.heads}, {1});
  const Weights weights = op.online_bf16 ? softmax_online(w, scores, present, sink)
                                         : softmax_exact(w, scores, present, sink);
  const Val sums = w.dot(weights.each, list.values, {2}, {1}, {0}, {0});  // [n, heads, width]
  const Val output = w.div(sums, w.broadcast(weights.sum, sums.dims, {0, 1}));
  return rounded(w, w.reshape(output, rows[0].dims), op.rounding);
}

}  // namespace

void lower(const SparseAttention& op, OpIo& io) {
  const std::int64_t count = op.window + (io.has(7) ? io.in(7).dim(1) : 0);
  const std::int64_t width = io.in(0).dim(1) / op.heads;
  std::vector<Val> inputs = {io.in(0), io.in(2), io.in(3)};
  if (io.has(7)) inputs.push_back(io.in(7));
  const std::int64_t row_bytes = 4 * count * (width + op.heads);
  const auto body = [&](std::span<const Val> rows) {
    return std::vector<Val>{attend(io, op, rows)};
  };
  const std::array<Val, 1> like = {io.in(0)};
  io.out(0, by_row_chunks(io.w, inputs, row_bytes, io.types.piece_bytes, body, like)[0]);
}

}  // namespace deepinfer::pjrt
