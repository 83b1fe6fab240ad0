#include "graph/ops/grouped_linear.h"

namespace deepinfer {

std::vector<ResultType> GroupedLinear::infer(const OperandTypes& in) const {
  const Shape& x = in.expect(0, DType::f32, {-1, -1}).shape;
  in.require_at_least("groups", groups, 1);
  if (x[1] % groups != 0)
    in.fail(0, "is not divisible into groups", std::to_string(groups), std::to_string(x[1]));
  const Shape& weight = in.expect_weight(1, {-1, x[1] / groups}).shape;
  if (weight[0] % groups != 0)
    in.fail(1, "is not divisible into groups", std::to_string(groups), std::to_string(weight[0]));
  return {{DType::f32, {x[0], weight[0]}}};
}

}  // namespace deepinfer
