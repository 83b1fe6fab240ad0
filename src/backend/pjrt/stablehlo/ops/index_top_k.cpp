// Model specification 2.9.5 to 2.9.9.

#include "backend/pjrt/stablehlo/op_io.h"
#include "backend/pjrt/stablehlo/quantisers.h"
#include "backend/pjrt/stablehlo/row_chunks.h"
#include "backend/pjrt/stablehlo/selection.h"

#include <array>
#include <limits>

namespace deepinfer::pjrt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a key and its scores take while they are made, in f32: codes, values, a dot per head.
std::int64_t entry_bytes(const IndexTopK& op, std::int64_t width) {
  return 4 * (2 * width + op.heads);
}

/// Scores of entries `index` (i32 [n, e]), -infinity where not visible: f32 [n, e].
/// rows = q [n, heads * width], head weights [n, heads], slots [n], visible [n].
Val scores_of(OpIo& io, const IndexTopK& op, std::span<const Val> rows, const Val& index) {
  ModuleWriter& w = io.w;
  const Rounding rounding = op.bf16_scores ? Rounding::bf16 : Rounding::none;
  const std::int64_t n = rows[0].dim(0);
  const std::int64_t width = rows[0].dim(1) / op.heads;
  const Val records = read_entries(w, io.cache(2), io.in(3), rows[2], index);
  const Val keys = dequantise(w, io.types, Quantiser::q4u, records, width);
  const Val heads = w.reshape(rows[0], {n, op.heads, width});
  const Val dots = rounded(w, w.dot(heads, keys, {2}, {2}, {0}, {0}), rounding);
  const Val weighted = w.mul(w.max(dots, 0.0), w.broadcast(rows[1], dots.dims, {0, 1}));
  const Val sums = rounded(w, w.reduce("add", rounded(w, weighted, rounding), 1), rounding);
  const Val sees = w.compare("LT", index, w.broadcast(rows[3], index.dims, {0}));
  return w.select(sees, sums, w.f32(-kInfinity));
}

/// Scores of all entries that a sequence's blocks can hold, in pieces: memory besides the scores
/// does not grow with the context.
Val all_scores(OpIo& io, const IndexTopK& op, std::span<const Val> rows, std::int64_t entries) {
  ModuleWriter& w = io.w;
  const std::int64_t n = rows[0].dim(0);
  const std::int64_t width = rows[0].dim(1) / op.heads;
  const std::int64_t piece = piece_of(entries, 1, n * entry_bytes(op, width), io.types.piece_bytes);
  const Val first = w.iota(Element::i32, {n, piece}, 1);
  if (piece == entries) return scores_of(io, op, rows, first);
  const std::array<Val, 1> none = {w.f32(-kInfinity, {n, entries})};
  return w.loop(entries / piece, none, [&](const Val& i, const std::vector<Val>& scores) {
    const Val start = w.mul(i, double(piece));
    const Val made = scores_of(io, op, rows, w.add(first, start));
    const std::array<Val, 2> place = {w.i32(0), start};
    return std::vector<Val>{w.dynamic_update_slice(scores[0], made, place)};
  })[0];
}

}  // namespace

void lower(const IndexTopK& op, OpIo& io) {
  ModuleWriter& w = io.w;
  const std::int64_t n = io.in(0).dim(0);
  const std::int64_t entries = io.cache(2).shape[1] * io.in(3).dim(1);
  const std::int64_t width = io.in(0).dim(1) / op.heads;
  std::vector<Val> inputs = {io.in(0), io.in(1), io.in(4), io.in(5)};
  if (io.has(6)) inputs.push_back(io.in(6));
  std::vector<Val> results = {w.i32(0, {n, op.topk})};
  if (op.publish_blocks > 0) results.push_back(w.i32(0, {n, op.publish_blocks}));

  const std::int64_t row_bytes = entries * entry_bytes(op, width);
  const auto body = [&](std::span<const Val> rows) {
    Val scores = all_scores(io, op, rows, entries);
    Val blocks;
    if (op.publish_blocks > 0)
      blocks =
          top_k_ascending(w, block_scores(w, scores, rows[3], op.block_size), op.publish_blocks);
    if (io.has(6))
      scores =
          w.select(in_candidates(w, rows[4], entries, op.block_size), scores, w.f32(-kInfinity));
    std::vector<Val> made = {top_k_ascending(w, scores, op.topk)};
    if (op.publish_blocks > 0) made.push_back(blocks);
    return made;
  };
  const std::vector<Val> made =
      by_row_chunks(w, inputs, row_bytes, io.types.piece_bytes, body, results);
  for (std::size_t k = 0; k < made.size(); ++k) io.out(k, made[k]);
}

}  // namespace deepinfer::pjrt
