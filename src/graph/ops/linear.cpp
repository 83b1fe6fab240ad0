#include "graph/ops/linear.h"

namespace deepinfer {

void Linear::require_blocks(const OperandTypes& in) const {
  const std::int64_t width = in[0].shape[1];
  if (quantise_input && width % 32 != 0)
    in.fail(0, "cannot be quantised in blocks of 32", "a multiple of 32", std::to_string(width));
}

std::vector<ResultType> Linear::infer(const OperandTypes& in) const {
  const Shape& x = in.expect(0, DType::f32, {-1, -1}).shape;
  require_blocks(in);
  const Shape& weight = in.expect_weight(1, {-1, x[1]}).shape;
  return {{DType::f32, {x[0], weight[0]}}};
}

}  // namespace deepinfer
