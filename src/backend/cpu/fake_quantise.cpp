#include <cstring>

#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {

void fake_quantise(const FakeQuantise& op, const Operands& io, KernelContext& context) {
  const TensorRef& x = io.in(0);
  const TensorRef& y = io.out(0);
  const auto width = static_cast<std::size_t>(x.shape[1]);
  split_items(context, x.shape[0], x.shape[1], [&](std::int64_t begin, std::int64_t end, int) {
    for (std::int64_t row = begin; row < end; ++row) {
      float* to = y.row<float>(row);
      if (to != x.row<float>(row)) std::memcpy(to, x.row<float>(row), width * sizeof(float));
      deepinfer::fake_quantise(op.quantiser, {to, width});
    }
  });
}

}  // namespace deepinfer::cpu
