#include "backend/reference/arithmetic.h"

#include <algorithm>

#include "core/load.h"

namespace deepinfer::reference {

float plain_element(const WeightRef& weight, std::int64_t index) {
  switch (weight.dtype) {
    case DType::bf16:
      return bf16_to_f32(load<std::uint16_t>(weight.bytes() + 2 * index));
    case DType::f16:
      return f16_to_f32(load<std::uint16_t>(weight.bytes() + 2 * index));
    default:
      return load<float>(weight.bytes() + 4 * index);
  }
}

float weight_element(const WeightRef& weight, std::int64_t row, std::int64_t column) {
  const std::int64_t width = weight.shape[1];
  const std::int64_t tiles = (width + 31) / 32;
  switch (weight.format) {
    case WeightFormat::plain:
      return plain_element(weight, row * width + column);
    case WeightFormat::fp8:
      return e4m3_to_f32(weight.bytes()[row * width + column]) *
             e8m0_to_f32(weight.scales[(row / 32) * tiles + column / 32]);
    case WeightFormat::fp4: {
      const std::uint8_t pair = weight.bytes()[(row * width + column) / 2];
      return e2m1_to_f32(column % 2 == 0 ? pair & 15 : pair >> 4) *
             e8m0_to_f32(weight.scales[row * tiles + column / 32]);
    }
  }
  return 0;
}

double dot_row(const WeightRef& weight, std::int64_t row, const float* x) {
  const std::int64_t width = weight.shape[1];
  double sum = 0;
  if (weight.format == WeightFormat::fp8) {  // the common case, without a call per element
    const float* values = e4m3_table();
    const std::uint8_t* codes = weight.bytes() + row * width;
    const std::uint8_t* scales = weight.scales + (row / 32) * ((width + 31) / 32);
    for (std::int64_t begin = 0; begin < width; begin += 32) {
      const float scale = e8m0_to_f32(scales[begin / 32]);
      for (std::int64_t i = begin; i < std::min(begin + 32, width); ++i)
        sum += static_cast<double>(x[i]) * (values[codes[i]] * scale);
    }
    return sum;
  }
  for (std::int64_t i = 0; i < width; ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(weight_element(weight, row, i));
  return sum;
}

}  // namespace deepinfer::reference
