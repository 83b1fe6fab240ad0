#include "backend/pjrt/stablehlo/element_type.h"

namespace deepinfer::pjrt {

std::string_view name_of(Element element) {
  switch (element) {
    case Element::i1:
      return "i1";
    case Element::ui8:
      return "ui8";
    case Element::i32:
      return "i32";
    case Element::ui32:
      return "ui32";
    case Element::i64:
      return "i64";
    case Element::f32:
      return "f32";
    case Element::bf16:
      return "bf16";
    case Element::f16:
      return "f16";
    case Element::f8e4m3fn:
      return "f8E4M3FN";
    case Element::f4e2m1fn:
      return "f4E2M1FN";
  }
  return "?";
}

int bits_of(Element element) {
  switch (element) {
    case Element::i1:
      return 1;
    case Element::f4e2m1fn:
      return 4;
    case Element::ui8:
    case Element::f8e4m3fn:
      return 8;
    case Element::bf16:
    case Element::f16:
      return 16;
    case Element::i64:
      return 64;
    case Element::i32:
    case Element::ui32:
    case Element::f32:
      return 32;
  }
  return 0;
}

bool is_float(Element element) { return element >= Element::f32; }

bool is_unsigned(Element element) { return element == Element::ui8 || element == Element::ui32; }

Element element_of(DType type) {
  switch (type) {
    case DType::f32:
      return Element::f32;
    case DType::f16:
      return Element::f16;
    case DType::bf16:
      return Element::bf16;
    case DType::i32:
      return Element::i32;
    case DType::i64:
      return Element::i64;
    case DType::u8:
    case DType::i8:
    case DType::f8_e4m3:
    case DType::f8_e8m0:
      return Element::ui8;
  }
  return Element::ui8;
}

Dims dims_of(const Shape& shape) {
  Dims dims;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) dims.push_back(shape[axis]);
  return dims;
}

std::int64_t elements_of(const Dims& dims) {
  std::int64_t product = 1;
  for (const std::int64_t extent : dims) product *= extent;
  return product;
}

std::string tensor_type(Element element, const Dims& dims) {
  std::string text = "tensor<";
  for (const std::int64_t extent : dims) text += std::to_string(extent) + "x";
  return text.append(name_of(element)) + ">";
}

}  // namespace deepinfer::pjrt
