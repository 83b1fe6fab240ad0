#include "backend/cpu/plain_weight.h"

#include <bit>
#include <cstring>

#include "core/load.h"
#include "core/numeric_formats.h"

namespace deepinfer::cpu {

void widen(const WeightRef& weight, std::int64_t offset, std::int64_t count, float* out) {
  if (weight.dtype == DType::f32) {
    std::memcpy(out, weight.bytes() + 4 * offset, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  const std::uint8_t* from = weight.bytes() + 2 * offset;
  if (weight.dtype == DType::bf16)
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(from + 2 * i)} << 16);
  else
    for (std::int64_t i = 0; i < count; ++i) out[i] = f16_to_f32(load<std::uint16_t>(from + 2 * i));
}

}  // namespace deepinfer::cpu
