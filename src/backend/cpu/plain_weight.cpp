#include "backend/cpu/plain_weight.h"

#include <bit>
#include <cstring>

#include "core/numeric_formats.h"

namespace deepinfer::cpu {

void widen(const WeightRef& weight, std::int64_t offset, std::int64_t count, float* out) {
  if (weight.dtype == DType::f32) {
    std::memcpy(out, weight.as<float>() + offset, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  const auto* bits = weight.as<std::uint16_t>() + offset;
  if (weight.dtype == DType::bf16)
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits[i]) << 16);
  else
    for (std::int64_t i = 0; i < count; ++i) out[i] = f16_to_f32(bits[i]);
}

}  // namespace deepinfer::cpu
