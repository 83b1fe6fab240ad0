// Model specification 2.9.2 and 5.2.

#include "backend/reference/kernels.h"
#include "core/quantise.h"

namespace deepinfer::reference {

void window_write(const WindowWrite& /*op*/, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& kv = io.in(0);
  const TensorRef& cache = io.in(1);
  const auto* slots = io.in(2).as<std::int32_t>();
  const auto* positions = io.in(3).as<std::int32_t>();
  const std::int64_t ring = cache.shape[1];
  const std::int64_t record = cache.shape[2];
  for (std::int64_t t = 0; t < kv.shape[0]; ++t) {
    if (positions[t] < 0) continue;
    quantise(Quantiser::q8, {kv.row<float>(t), static_cast<std::size_t>(kv.shape[1])},
             cache.row<std::uint8_t>(slots[t]) + (positions[t] % ring) * record);
  }
}

}  // namespace deepinfer::reference
