#include "graph/ops/moe.h"

namespace deepinfer {

std::vector<ResultType> Moe::infer(const OperandTypes& in) const {
  const Shape x = in.expect(0, DType::f32, {-1, -1}).shape;
  const Shape& experts = in.expect(1, DType::i32, {x[0], -1}).shape;
  in.expect(2, DType::f32, experts);
  in.expect(3, DType::i32, {x[0]});
  const Shape& w1 = in.expect_weight(4, {-1, -1, x[1]}).shape;
  if (quantise_input && (x[1] % 32 != 0 || w1[1] % 32 != 0))
    in.fail(4, "cannot be quantised in blocks of 32", "extents divisible by 32", w1.to_string());
  in.expect_weight(5, w1);
  in.expect_weight(6, {w1[0], x[1], w1[1]});
  in.expect_weight(7, {w1[1], x[1]});
  in.expect_weight(8, {w1[1], x[1]});
  in.expect_weight(9, {x[1], w1[1]});
  return {{DType::f32, x}};
}

}  // namespace deepinfer
