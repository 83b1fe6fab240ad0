#include <fmt/format.h>

#include "backend/pjrt/stablehlo/module_writer.h"
#include "backend/pjrt/stablehlo/writer_checks.h"

namespace deepinfer::pjrt {
namespace {

/// Half of the last place that stays is added to what goes, less one where the last place is even.
Val round_bits_to_bf16(ModuleWriter& w, const Val& a) {
  constexpr int kDropped = 16;
  const Val bits = w.bitcast(a, Element::ui32);
  const Val odd = w.binary("and", w.binary("shift_right_logical", bits, kDropped), 1);
  const Val nudged = w.add(w.add(bits, (1 << (kDropped - 1)) - 1), odd);
  const Val kept =
      w.binary("shift_left", w.binary("shift_right_logical", nudged, kDropped), kDropped);
  // The bits of a NaN may run over into zero.
  return w.select(w.compare("EQ", a, a), w.bitcast(kept, Element::f32), a);
}

}  // namespace

void ModuleWriter::match(std::string_view op, Val& a, Val& b) {
  if (a.type != b.type)
    throw ill_typed(op, "has operands of two types", a.type_text(), b.type_text());
  if (a.dims == b.dims) return;
  if (a.dims.empty())
    a = broadcast(a, b.dims, {});
  else if (b.dims.empty())
    b = broadcast(b, a.dims, {});
  else
    throw ill_typed(op, "has operands of different extents", a.type_text(), b.type_text());
}

Val ModuleWriter::unary(std::string_view op, const Val& a) {
  return emit(a.type, a.dims, fmt::format("stablehlo.{} {} : {}", op, ref(a), a.type_text()));
}

Val ModuleWriter::binary(std::string_view op, const Val& left, const Val& right) {
  Val a = left;
  Val b = right;
  match(op, a, b);
  return emit(a.type, a.dims,
              fmt::format("stablehlo.{} {}, {} : {}", op, ref(a), ref(b), a.type_text()));
}

Val ModuleWriter::compare(std::string_view direction, const Val& left, const Val& right) {
  Val a = left;
  Val b = right;
  match("compare", a, b);
  const std::string_view kind = is_float(a.type)                               ? "FLOAT"
                                : is_unsigned(a.type) || a.type == Element::i1 ? "UNSIGNED"
                                                                               : "SIGNED";
  return emit(
      Element::i1, a.dims,
      fmt::format("stablehlo.compare {}, {}, {}, {} : ({}, {}) -> {}", direction, ref(a), ref(b),
                  kind, a.type_text(), b.type_text(), tensor_type(Element::i1, a.dims)));
}

Val ModuleWriter::select(const Val& condition, const Val& yes, const Val& no) {
  require_type("select", condition, Element::i1);
  Val a = yes;
  Val b = no;
  if (a.dims.empty()) a = broadcast(a, condition.dims, {});
  match("select", a, b);
  require_dims("select", condition, a.dims);
  return emit(a.type, a.dims,
              fmt::format("stablehlo.select {}, {}, {} : {}, {}", ref(condition), ref(a), ref(b),
                          condition.type_text(), a.type_text()));
}

Val ModuleWriter::convert(const Val& a, Element type) {
  if (a.type == type) return a;
  return emit(type, a.dims,
              fmt::format("stablehlo.convert {} : ({}) -> {}", ref(a), a.type_text(),
                          tensor_type(type, a.dims)));
}

Val ModuleWriter::round_bf16(const Val& a) {
  require_type("reduce_precision", a, Element::f32);
  if (!types_.reduce_precision) return round_bits_to_bf16(*this, a);
  return emit(
      a.type, a.dims,
      fmt::format("stablehlo.reduce_precision {}, format = e8m7 : {}", ref(a), a.type_text()));
}

Val ModuleWriter::bitcast(const Val& a, Element type) {
  Dims dims = a.dims;
  const int from = bits_of(a.type);
  const int to = bits_of(type);
  if (to > from) {
    if (dims.empty() || dims.back() != to / from)
      throw ill_typed("bitcast_convert", "needs a trailing axis", std::to_string(to / from),
                      a.type_text());
    dims.pop_back();
  } else if (to < from) {
    dims.push_back(from / to);
  }
  return emit(type, dims,
              fmt::format("stablehlo.bitcast_convert {} : ({}) -> {}", ref(a), a.type_text(),
                          tensor_type(type, dims)));
}

}  // namespace deepinfer::pjrt
