#include "backend/pjrt/stablehlo/quantisers.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>

#include "backend/pjrt/stablehlo/number_formats.h"

namespace deepinfer::pjrt {
namespace {

/// Values in blocks: […, n / block, block].
Val in_blocks(ModuleWriter& w, const Val& values, std::int64_t block) {
  Dims dims = values.dims;
  dims.back() /= block;
  dims.push_back(block);
  return w.reshape(values, dims);
}

/// […, blocks] to […, blocks, block].
Val per_element(ModuleWriter& w, const Val& scales, std::int64_t block) {
  Dims dims = scales.dims;
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    axes.push_back(static_cast<std::int64_t>(axis));
  dims.push_back(block);
  return w.broadcast(scales, dims, axes);
}

/// Largest magnitude of every block and `floor`; an infinity saturates, a NaN stays one.
Val largest_magnitude(ModuleWriter& w, const Val& blocks, float floor) {
  // On bits, whose order has NaN above infinity above all numbers: a compiler's maximum of floats
  // may lose a NaN.
  const Val bits = w.binary("and", w.bitcast(blocks, Element::i32), 0x7fffffff);
  const Val largest =
      w.max(w.reduce("maximum", bits, blocks.dims.size() - 1), std::bit_cast<std::int32_t>(floor));
  const Val infinite = w.compare("EQ", largest, 0x7f800000);
  return w.bitcast(w.select(infinite, w.i32(0x7f7fffff), largest), Element::f32);
}

struct Coded {
  Val codes;   ///< ui8 […, blocks, block], one per element
  Val scales;  ///< ui8 […, blocks]
};

std::int64_t block_of(Quantiser quantiser) { return quantiser == Quantiser::q4e ? 16 : 32; }

Val decode_scales(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser,
                  const Val& scales) {
  return quantiser == Quantiser::q4e ? decode_e4m3(w, types, scales) : decode_e8m0(w, scales);
}

/// Model specification 2.7.1 to 2.7.3.
Coded code(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser, const Val& values) {
  constexpr float kInverse448 = std::bit_cast<float>(0x3b124925U);
  constexpr float kInverse6 = std::bit_cast<float>(0x3e2aaaabU);
  const std::int64_t block = block_of(quantiser);
  const Val blocks = in_blocks(w, values, block);
  Coded coded;
  switch (quantiser) {
    case Quantiser::q8:
      coded.scales =
          power_ceiling(w, w.mul(largest_magnitude(w, blocks, 1e-4F), double{kInverse448}));
      break;
    case Quantiser::q4u:
      coded.scales =
          power_ceiling(w, w.mul(largest_magnitude(w, blocks, 6 * 0x1p-126F), double{kInverse6}));
      break;
    case Quantiser::q4e:
      coded.scales = encode_e4m3(w, w.div(largest_magnitude(w, blocks, 6 * 0x1p-9F), 6.0));
      break;
  }
  const Val scale = per_element(w, decode_scales(w, types, quantiser, coded.scales), block);
  const Val scaled = w.div(blocks, scale);
  coded.codes = quantiser == Quantiser::q8 ? encode_e4m3(w, scaled) : encode_e2m1(w, scaled);
  return coded;
}

}  // namespace

Val quantise(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser, const Val& values) {
  const auto body = [&](std::span<const Val> operands) {
    const Val& x = operands[0];
    const Coded coded = code(w, types, quantiser, x);
    const Val flat = w.reshape(coded.codes, x.dims);
    const std::array<Val, 2> parts = {quantiser == Quantiser::q8 ? flat : pair_nibbles(w, flat),
                                      coded.scales};
    return w.concatenate(parts, x.dims.size() - 1);
  };
  return w.call(fmt::format("quantise_{}", name_of(quantiser)), std::array<Val, 1>{values}, body);
}

Val dequantise(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser, const Val& records,
               std::int64_t n) {
  const auto body = [&](std::span<const Val> operands) {
    const std::size_t last = records.dims.size() - 1;
    const std::int64_t bytes = quantiser == Quantiser::q8 ? n : n / 2;
    const std::int64_t block = block_of(quantiser);
    const Val codes = w.slice_axis(operands[0], last, 0, bytes);
    const Val scales = w.slice_axis(operands[0], last, bytes, bytes + n / block);
    const Val values =
        quantiser == Quantiser::q8 ? decode_e4m3(w, types, codes) : decode_e2m1(w, types, codes);
    const Val scale = per_element(w, decode_scales(w, types, quantiser, scales), block);
    return w.reshape(w.mul(in_blocks(w, values, block), scale), values.dims);
  };
  return w.call(fmt::format("dequantise_{}", name_of(quantiser)), std::array<Val, 1>{records},
                body);
}

Val fake_quantise(ModuleWriter& w, const TypeSupport& types, Quantiser quantiser,
                  const Val& values) {
  return dequantise(w, types, quantiser, quantise(w, types, quantiser, values), values.dims.back());
}

}  // namespace deepinfer::pjrt
