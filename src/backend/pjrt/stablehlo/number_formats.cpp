#include "backend/pjrt/stablehlo/number_formats.h"

#include <array>
#include <cmath>

#include "core/numeric_formats.h"

namespace deepinfer::pjrt {
namespace {

/// A small float of sign, exponent and mantissa bits.
struct SmallFloat {
  int mantissa_bits;
  int bias;
  int largest;  ///< magnitude code that larger values saturate to
};

constexpr SmallFloat kE4m3 = {.mantissa_bits = 3, .bias = 7, .largest = 0x7e};
constexpr SmallFloat kE2m1 = {.mantissa_bits = 1, .bias = 1, .largest = 7};
constexpr int kF32Mantissa = 23;
constexpr int kF32Bias = 127;

/// Codes (ui32) to f32 without a table: exponents moved, subnormals counted in steps.
Val expand(ModuleWriter& w, const SmallFloat& format, const Val& codes) {
  const int sign_bit = format.largest >= 0x10 ? 7 : 3;
  const int shift = kF32Mantissa - format.mantissa_bits;
  const Val magnitude = w.binary("and", codes, (1 << sign_bit) - 1);
  const Val bits = w.add(
      w.binary("shift_left", magnitude, shift),
      w.constant(Element::ui32, static_cast<double>(kF32Bias - format.bias) * (1 << kF32Mantissa)));
  const Val normal = w.bitcast(bits, Element::f32);
  const Val steps = w.mul(w.convert(magnitude, Element::f32),
                          std::ldexp(1.0, 1 - format.bias - format.mantissa_bits));
  Val value = w.select(w.compare("LT", magnitude, 1 << format.mantissa_bits), steps, normal);
  if (format.largest == kE4m3.largest)
    value = w.select(w.compare("GT", magnitude, format.largest), w.f32(NAN), value);
  return w.select(w.compare("GE", codes, 1 << sign_bit), w.unary("negate", value), value);
}

/// Codes (i32) of f32 values, sign excluded.
Val magnitude_codes(ModuleWriter& w, const SmallFloat& format, const Val& magnitude) {
  const int shift = kF32Mantissa - format.mantissa_bits;
  const Val bits = w.bitcast(magnitude, Element::i32);
  const Val odd = w.binary("and", w.binary("shift_right_logical", bits, shift), 1);
  const Val nudged = w.add(w.add(bits, (1 << (shift - 1)) - 1), odd);
  const Val normal = w.sub(w.binary("shift_right_logical", nudged, shift),
                           (kF32Bias - format.bias) << format.mantissa_bits);
  const Val smallest_normal = w.f32(std::ldexp(1.0, 1 - format.bias));
  // Held below the smallest normal: what is above takes the other branch, and must not overflow.
  const Val steps = w.mul(w.min(magnitude, smallest_normal),
                          std::ldexp(1.0, format.bias + format.mantissa_bits - 1));
  const Val subnormal = w.convert(w.unary("round_nearest_even", steps), Element::i32);
  const Val codes = w.select(w.compare("LT", magnitude, smallest_normal), subnormal, normal);
  return w.min(codes, format.largest);
}

Val sign_bits(ModuleWriter& w, const Val& values, int sign_bit) {
  const Val bits = w.bitcast(values, Element::ui32);
  return w.binary("shift_left", w.binary("shift_right_logical", bits, 31), sign_bit);
}

}  // namespace

Val decode_e4m3(ModuleWriter& w, const TypeSupport& types, const Val& codes) {
  if (types.f8e4m3fn) return w.convert(w.bitcast(codes, Element::f8e4m3fn), Element::f32);
  if (types.otherwise == Decoding::arithmetic)
    return expand(w, kE4m3, w.convert(codes, Element::ui32));
  const Val table = w.table({e4m3_table(), 256});
  return w.gather_rows(table, w.convert(codes, Element::i32));
}

Val decode_e2m1(ModuleWriter& w, const TypeSupport& types, const Val& pairs) {
  Dims dims = pairs.dims;
  dims.back() *= 2;
  if (types.f4e2m1fn)
    return w.convert(w.reshape(w.bitcast(pairs, Element::f4e2m1fn), dims), Element::f32);
  const bool arithmetic = types.otherwise == Decoding::arithmetic;
  // Wide first: not every device shifts bytes.
  const Val wide = w.convert(pairs, arithmetic ? Element::ui32 : Element::i32);
  Dims columns = pairs.dims;
  columns.push_back(1);
  const std::array<Val, 2> halves = {w.reshape(w.binary("and", wide, 15), columns),
                                     w.reshape(w.binary("shift_right_logical", wide, 4), columns)};
  const Val codes = w.reshape(w.concatenate(halves, columns.size() - 1), dims);
  if (arithmetic) return expand(w, kE2m1, codes);
  std::array<float, 16> values{};
  for (std::size_t code = 0; code < values.size(); ++code)
    values[code] = e2m1_to_f32(static_cast<std::uint8_t>(code));
  return w.gather_rows(w.table(values), codes);
}

Val decode_e8m0(ModuleWriter& w, const Val& codes) {
  constexpr double kSubnormal = 0x400000;  // bits of 2^-127
  constexpr double kNan = 0x7fc00000;
  const Val wide = w.convert(codes, Element::ui32);
  const Val power = w.binary("shift_left", wide, kF32Mantissa);
  const Val low = w.select(w.compare("EQ", wide, 0), w.constant(Element::ui32, kSubnormal), power);
  const Val bits = w.select(w.compare("EQ", wide, 255), w.constant(Element::ui32, kNan), low);
  return w.bitcast(bits, Element::f32);
}

Val widen(ModuleWriter& w, const Val& values) { return w.convert(values, Element::f32); }

Val encode_e4m3(ModuleWriter& w, const Val& values) {
  const Val magnitude = w.unary("abs", values);
  const Val codes = magnitude_codes(w, kE4m3, magnitude);
  const Val marked = w.select(w.compare("NE", values, values), w.i32(0x7f), codes);
  return w.convert(w.either(w.convert(marked, Element::ui32), sign_bits(w, values, 7)),
                   Element::ui8);
}

Val encode_e2m1(ModuleWriter& w, const Val& values) {
  const Val codes = magnitude_codes(w, kE2m1, w.unary("abs", values));
  return w.convert(w.either(w.convert(codes, Element::ui32), sign_bits(w, values, 3)),
                   Element::ui8);
}

Val pair_nibbles(ModuleWriter& w, const Val& codes) {
  Dims split = codes.dims;
  split.back() /= 2;
  const Dims dims = split;
  split.push_back(2);
  const Val pairs = w.reshape(w.convert(codes, Element::ui32), split);
  const std::size_t last = split.size() - 1;
  const Val low = w.reshape(w.slice_axis(pairs, last, 0, 1), dims);
  const Val high = w.reshape(w.slice_axis(pairs, last, 1, 2), dims);
  return w.convert(w.either(low, w.binary("shift_left", high, 4)), Element::ui8);
}

Val power_ceiling(ModuleWriter& w, const Val& values) {
  const Val bits = w.bitcast(values, Element::ui32);
  const Val exponent = w.binary("and", w.binary("shift_right_logical", bits, kF32Mantissa), 0xff);
  const Val rest = w.binary("and", bits, 0x7fffff);
  const Val up = w.convert(w.compare("NE", rest, 0), Element::ui32);
  return w.convert(w.min(w.add(exponent, up), 255), Element::ui8);
}

}  // namespace deepinfer::pjrt
