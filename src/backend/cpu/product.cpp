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

}  // namespace

void multiply(const ProductFunctions& isa, const WeightRef& weight, const ProductPart& part) {
  function_for(isa, weight)({.codes = weight.bytes(),
                             .scales = weight.scales,
                             .width = weight.shape[1],
                             .begin = part.outputs.begin,
                             .end = part.outputs.end,
                             .inputs = part.inputs,
                             .count = part.count,
                             .out = part.out,
                             .out_stride = part.out_stride});
}

}  // namespace deepinfer::cpu
