#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_split.h"
#include "core/quantise.h"

namespace deepinfer::cpu {

void engram_lookup(const EngramLookup& op, const Operands& io, KernelContext& context) {
  const TensorRef& packed = io.in(0);
  const TensorRef& e = io.out(0);
  const std::int64_t tables = packed.shape[1];
  const std::int64_t record = packed.shape[2];
  const auto width = static_cast<std::size_t>(op.head_dim);

  // A table row is exactly a Q8 record: codes, then one scale per 32 columns.
  split_items(context, packed.shape[0], tables * record,
              [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t row = begin; row < end; ++row)
                  for (std::int64_t table = 0; table < tables; ++table)
                    dequantise(Quantiser::q8, packed.row<std::uint8_t>(row) + table * record,
                               {e.row<float>(row) + table * op.head_dim, width});
              });
}

}  // namespace deepinfer::cpu
