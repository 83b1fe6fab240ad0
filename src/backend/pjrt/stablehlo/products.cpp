#include "backend/pjrt/stablehlo/products.h"

#include <algorithm>

namespace deepinfer::pjrt {
namespace {

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Outputs of a piece: no more than fit `bytes`, all pieces of one extent, as few as can be. The
/// last may begin inside the one before it.
std::int64_t outputs_of_a_piece(std::int64_t outputs, std::int64_t unit, std::int64_t bytes_each,
                                std::int64_t bytes) {
  const std::int64_t fitting = std::max(unit, bytes / bytes_each / unit * unit);
  if (outputs % unit != 0 || fitting >= outputs) return outputs;
  return quotient_up(outputs / unit, quotient_up(outputs, fitting)) * unit;
}

}  // namespace

Val rounded(ModuleWriter& w, const Val& values, Rounding rounding) {
  return rounding == Rounding::bf16 ? w.round_bf16(values) : values;
}

std::int64_t piece_of(std::int64_t total, std::int64_t unit, std::int64_t bytes_each,
                      std::int64_t bytes) {
  if (total % unit != 0) return total;
  const std::int64_t units = total / unit;
  for (std::int64_t parts = 1; parts < units; ++parts)
    if (units % parts == 0 && total / parts * bytes_each <= bytes) return total / parts;
  return unit;
}

Val product(ModuleWriter& w, const TypeSupport& types, const Val& x, const WeightVal& weight) {
  const std::int64_t outputs = weight.dims[0];
  const std::int64_t unit = weight.format == WeightFormat::fp8 ? 32 : 1;  // whole tiles
  const std::int64_t piece =
      outputs_of_a_piece(outputs, unit, weight.dims[1] * 4, types.piece_bytes);
  if (piece == outputs) return w.dot(x, unpack(w, types, weight), {1}, {1});
  // Pieces are rows of the transposed result, so that each is put where it belongs at once.
  const std::vector<Val> empty = {w.f32(0, {outputs, x.dim(0)})};
  const auto body = [&](const Val& i, const std::vector<Val>& carried) -> std::vector<Val> {
    Val start = w.mul(i, static_cast<double>(piece));
    if (outputs % piece != 0) start = w.min(start, static_cast<double>(outputs - piece));
    const Val part = unpack(w, types, rows_of(w, weight, start, piece));
    return {w.put(carried[0], w.dot(part, x, {1}, {1}), start)};
  };
  return w.transpose(w.loop(quotient_up(outputs, piece), empty, body)[0], {1, 0});
}

}  // namespace deepinfer::pjrt
