#include "graph/ops/scale.h"

namespace deepinfer {

std::vector<ResultType> Scale::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1}).shape;
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
