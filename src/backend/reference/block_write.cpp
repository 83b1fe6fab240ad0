// Model specification 2.9.3, 2.9.4 and 5.2.

#include "backend/reference/kernels.h"
#include "core/quantise.h"

namespace deepinfer::reference {

void block_write(const BlockWrite& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& values = io.in(0);
  const TensorRef& cache = io.in(1);
  const TensorRef& block_table = io.in(2);
  const auto* slots = io.in(3).as<std::int32_t>();
  const auto* positions = io.in(4).as<std::int32_t>();
  const std::int64_t entries = cache.shape[1];
  const std::int64_t record = cache.shape[2];
  for (std::int64_t t = 0; t < values.shape[0]; ++t) {
    if (positions[t] < 0 || (positions[t] + 1) % op.ratio != 0) continue;
    const std::int64_t entry = positions[t] / op.ratio;
    const std::int32_t block = block_table.row<std::int32_t>(slots[t])[entry / entries];
    quantise(op.quantiser, {values.row<float>(t), static_cast<std::size_t>(values.shape[1])},
             cache.row<std::uint8_t>(block) + (entry % entries) * record);
  }
}

}  // namespace deepinfer::reference
