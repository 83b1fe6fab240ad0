#include "graph/ops/rms_norm.h"

namespace deepinfer {

std::vector<ResultType> RmsNorm::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1}).shape;
  in.expect_weight(1, {shape[1]}, true);
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
