// Model specification 3.6, step 1, and 4.3.

#include "backend/reference/arithmetic.h"
#include "backend/reference/kernels.h"

namespace deepinfer::reference {

void engram_lookup(const EngramLookup& op, const Operands& io, KernelContext& /*context*/) {
  const TensorRef& rows = io.in(0);
  const std::int64_t columns = rows.shape[1];
  const std::int64_t packed = rows.shape[2];
  for (std::int64_t t = 0; t < rows.shape[0]; ++t)
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::uint8_t* codes = rows.row<std::uint8_t>(t) + c * packed;
      const std::uint8_t* scales = codes + op.head_dim;
      float* e = io.out(0).row<float>(t) + c * op.head_dim;
      for (int i = 0; i < op.head_dim; ++i)
        e[i] = e4m3_to_f32(codes[i]) * e8m0_to_f32(scales[i / 32]);
    }
}

}  // namespace deepinfer::reference
