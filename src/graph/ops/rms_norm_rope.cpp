#include "graph/ops/rms_norm_rope.h"

namespace deepinfer {

std::vector<ResultType> RmsNormRope::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1}).shape;
  rope.require_heads(in);
  in.expect_weight(1, {shape[1]}, true);
  in.expect(2, DType::i32, {shape[0]});
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
