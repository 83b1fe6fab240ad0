#include <cstring>

#include "backend/cpu/plain_weight.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/row_split.h"

namespace deepinfer::cpu {

void embedding(const Embedding& op, const Operands& io, KernelContext& context) {
  const TensorRef& tokens = io.in(0);
  const WeightRef& table = io.weight(1);
  const TensorRef& streams = io.out(0);
  const TensorRef& pre = io.out(1);
  const std::int64_t width = streams.shape[2];

  split_items(context, streams.shape[0], op.streams * width,
              [&](std::int64_t begin, std::int64_t end, int) {
                for (std::int64_t row = begin; row < end; ++row) {
                  float* first = streams.row<float>(row);
                  widen(table, tokens.as<std::int32_t>()[row] * width, width, first);
                  for (int stream = 1; stream < op.streams; ++stream)
                    std::memcpy(first + stream * width, first,
                                static_cast<std::size_t>(width) * sizeof(float));
                  float* mix = pre.row<float>(row);
                  for (int stream = 0; stream < op.streams; ++stream)
                    mix[stream] = stream == 0 ? 1.0F : 0.0F;
                }
              });
}

}  // namespace deepinfer::cpu
