#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_split.h"
#include "core/quantise.h"

namespace deepinfer::cpu {

void block_write(const BlockWrite& op, const Operands& io, KernelContext& context) {
  const TensorRef& values = io.in(0);
  const TensorRef& cache = io.in(1);
  const TensorRef& block_table = io.in(2);
  const auto* slots = io.in(3).as<std::int32_t>();
  const auto* positions = io.in(4).as<std::int32_t>();
  const std::int64_t entries = cache.shape[1];
  const std::int64_t record = cache.shape[2];
  const auto width = static_cast<std::size_t>(values.shape[1]);

  split_items(
      context, values.shape[0], values.shape[1], [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t row = begin; row < end; ++row) {
          const std::int32_t position = positions[row];
          if (position < 0 || position % op.ratio != op.ratio - 1) continue;
          const std::int64_t entry = position / op.ratio;
          const std::int32_t block = block_table.row<std::int32_t>(slots[row])[entry / entries];
          quantise(op.quantiser, {values.row<float>(row), width},
                   cache.row<std::uint8_t>(block) + entry % entries * record);
        }
      });
}

}  // namespace deepinfer::cpu
