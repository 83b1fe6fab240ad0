#include "backend/cpu/product.h"

namespace deepinfer::cpu {
namespace {

ProductFunctions::Run function_for(const ProductFunctions& isa, const WeightRef& weight) {
  switch (weight.format) {
    case WeightFormat::fp8:
      return isa.fp8;
    case WeightFormat::fp4:
      return isa.fp4;
    case WeightFormat::plain:
      break;
  }
  if (weight.dtype == DType::bf16) return isa.bf16;
  return weight.dtype == DType::f16 ? isa.f16 : isa.f32;
}

TileFunctions::Run tile_function_for(const TileFunctions& tiles, const WeightRef& weight) {
  switch (weight.format) {
    case WeightFormat::fp8:
      return tiles.fp8;
    case WeightFormat::fp4:
      return tiles.fp4;
    case WeightFormat::plain:
      break;
  }
  return tiles.bf16;
}

}  // namespace

NextPanel panel_at(const WeightRef& weight, std::int64_t output) {
  if (output >= weight.shape[0]) return {};
  const std::int64_t width = weight.shape[1];
  switch (weight.format) {
    case WeightFormat::fp8:
      return {weight.bytes() + output * width, nullptr};
    case WeightFormat::fp4:
      return {weight.bytes() + output * width / 2, weight.scales + output * (width / 32)};
    case WeightFormat::plain:
      break;
  }
  return {weight.bytes() + output * width * static_cast<std::int64_t>(size_of(weight.dtype)),
          nullptr};
}

void multiply(const ProductFunctions& isa, const WeightRef& weight, const ProductPart& part) {
  if (part.inputs.tiles != nullptr) {
    tile_function_for(*isa.tiles, weight)({.codes = weight.bytes(),
                                           .scales = weight.scales,
                                           .width = weight.shape[1],
                                           .begin = part.outputs.begin,
                                           .end = part.outputs.end,
                                           .inputs = part.inputs.tiles,
                                           .count = part.inputs.count,
                                           .out = part.out,
                                           .out_stride = part.out_stride,
                                           .next = part.next});
    return;
  }
  function_for(isa, weight)({.codes = weight.bytes(),
                             .scales = weight.scales,
                             .width = weight.shape[1],
                             .begin = part.outputs.begin,
                             .end = part.outputs.end,
                             .inputs = part.inputs.rows,
                             .count = part.inputs.count,
                             .out = part.out,
                             .out_stride = part.out_stride});
}

}  // namespace deepinfer::cpu
