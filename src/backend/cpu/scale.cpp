#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {

void scale(const Scale& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const TensorRef& y = io.out(0);
  const std::int64_t width = x.shape[1];
  split_items(context, x.shape[0], width, [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* from = x.row<float>(row);
      float* to = y.row<float>(row);
      for (std::int64_t i = 0; i < width; ++i) to[i] = from[i] * op.factor;
      round_values(op.rounding, to, width);
    }
  });
}

}  // namespace deepinfer::cpu
