#include "graph/ops/lm_head.h"

namespace deepinfer {

std::vector<ResultType> LmHead::infer(const OperandTypes& in) const {
  const Shape& h = in.expect(0, DType::f32, {-1, -1}).shape;
  const Shape& weight = in.expect_weight(1, {-1, h[1]}, true).shape;
  in.expect(2, DType::i32, {h[0]});
  return {{DType::f32, {h[0], weight[0]}}};
}

}  // namespace deepinfer
