#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_split.h"
#include "core/quantise.h"

namespace deepinfer::cpu {

void window_write(const WindowWrite& /*op*/, const Operands& io, KernelContext& context) {
  const TensorRef& kv = io.in(0);
  const TensorRef& cache = io.in(1);
  const auto* slots = io.in(2).as<std::int32_t>();
  const auto* positions = io.in(3).as<std::int32_t>();
  const std::int64_t ring = cache.shape[1];
  const std::int64_t record = cache.shape[2];
  const auto width = static_cast<std::size_t>(kv.shape[1]);

  split_items(context, kv.shape[0], kv.shape[1], [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      if (positions[row] < 0) continue;
      quantise(Quantiser::q8, {kv.row<float>(row), width},
               cache.row<std::uint8_t>(slots[row]) + positions[row] % ring * record);
    }
  });
}

}  // namespace deepinfer::cpu
