#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_math.h"
#include "backend/cpu/row_parts.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {

void collapse_row(const HcCollapse& op, const float* streams, const float* pre, std::int64_t count,
                  std::int64_t width, float* to) {
  for (std::int64_t i = 0; i < width; ++i) to[i] = pre[0] * streams[i];
  for (std::int64_t stream = 1; stream < count; ++stream) {
    const float factor = pre[stream];
    const float* from = streams + stream * width;
    for (std::int64_t i = 0; i < width; ++i) to[i] += factor * from[i];
  }
  round_values(op.rounding, to, width);
}

void hc_collapse(const HcCollapse& op, const Operands& io, KernelContext& context) {
  const TensorRef& streams = io.in(0);
  const TensorRef& pre = io.in(1);
  const TensorRef& u = io.out(0);
  const std::int64_t count = streams.shape[1];
  const std::int64_t width = streams.shape[2];

  split_items(context, streams.shape[0], count * width,
              [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t row = begin; row < end; ++row)
                  collapse_row(op, streams.row<float>(row), pre.row<float>(row), count, width,
                               u.row<float>(row));
              });
}

}  // namespace deepinfer::cpu
