#include "backend/pjrt/stablehlo/weights.h"

#include <fmt/format.h>

#include <array>

#include "backend/pjrt/stablehlo/number_formats.h"
#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

constexpr std::int64_t kTile = 32;  // channels (fp8: and outputs) that share a scale

std::int64_t tiles_of(std::int64_t extent) { return (extent + kTile - 1) / kTile; }

Dims without_first(const Dims& dims) { return {dims.begin() + 1, dims.end()}; }

/// Scales of 32x32 tiles, one per element of [rows, columns].
Val spread_tiles(ModuleWriter& w, const Val& scales, std::int64_t rows, std::int64_t columns) {
  const std::int64_t down = scales.dim(0);
  const std::int64_t across = scales.dim(1);
  const Val spread = w.broadcast(scales, {down, kTile, across, kTile}, {0, 2});
  const Val whole = w.reshape(spread, {down * kTile, across * kTile});
  return w.slice(whole, std::vector<Range>{{0, rows}, {0, columns}});
}

}  // namespace

WeightDims weight_dims(WeightFormat format, const Shape& shape) {
  WeightDims dims{.codes = dims_of(shape), .scales = {}};
  if (format == WeightFormat::plain) return dims;
  const std::size_t rank = shape.rank();
  if (rank < 2)
    throw ill_typed("weight", "is coded but no matrix", "2 or 3 axes", shape.to_string());
  dims.scales = dims.codes;
  dims.scales[rank - 1] = tiles_of(shape[rank - 1]);
  if (format == WeightFormat::fp8)
    dims.scales[rank - 2] = tiles_of(shape[rank - 2]);
  else
    dims.codes[rank - 1] /= 2;
  return dims;
}

Val unpack(ModuleWriter& w, const TypeSupport& types, const WeightVal& weight) {
  if (weight.format == WeightFormat::plain) return widen(w, weight.codes);
  require_rank("unpack", weight.codes, 2);
  const std::int64_t rows = weight.dims[0];
  const std::int64_t columns = weight.dims[1];
  const auto body = [&](std::span<const Val> operands) {
    const Val scales = decode_e8m0(w, operands[1]);
    if (weight.format == WeightFormat::fp8)
      return w.mul(decode_e4m3(w, types, operands[0]), spread_tiles(w, scales, rows, columns));
    const Val values = decode_e2m1(w, types, operands[0]);
    const Val spread = w.broadcast(scales, {rows, columns / kTile, kTile}, {0, 1});
    return w.mul(values, w.reshape(spread, {rows, columns}));
  };
  return w.call(fmt::format("unpack_{}", name_of(weight.format)),
                std::array<Val, 2>{weight.codes, weight.scales}, body);
}

WeightVal rows_of(ModuleWriter& w, const WeightVal& weight, const Val& start, std::int64_t count) {
  WeightVal part = weight;
  part.codes = w.take(w.held_until(weight.codes, start), start, count);
  part.dims[0] = count;
  if (weight.format == WeightFormat::fp8)
    part.scales =
        w.take(weight.scales, w.binary("divide", start, static_cast<double>(kTile)), count / kTile);
  else if (weight.format == WeightFormat::fp4)
    part.scales = w.take(weight.scales, start, count);
  return part;
}

WeightVal expert_of(ModuleWriter& w, const WeightVal& bank, const Val& index) {
  WeightVal expert = bank;
  expert.dims = without_first(bank.dims);
  expert.codes =
      w.reshape(w.take(w.held_until(bank.codes, index), index, 1), without_first(bank.codes.dims));
  if (bank.format != WeightFormat::plain)
    expert.scales = w.reshape(w.take(bank.scales, index, 1), without_first(bank.scales.dims));
  return expert;
}

}  // namespace deepinfer::pjrt
