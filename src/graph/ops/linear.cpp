#include "graph/ops/linear.h"

namespace deepinfer {

std::vector<ResultType> Linear::infer(const OperandTypes& in) const {
  const Shape& x = in.expect(0, DType::f32, {-1, -1}).shape;
  if (quantise_input && x[1] % 32 != 0)
    in.fail(0, "cannot be quantised in blocks of 32", "a multiple of 32", std::to_string(x[1]));
  const Shape& weight = in.expect_weight(1, {-1, x[1]}).shape;
  return {{DType::f32, {x[0], weight[0]}}};
}

}  // namespace deepinfer
