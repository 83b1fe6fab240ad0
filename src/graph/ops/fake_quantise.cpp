#include "graph/ops/fake_quantise.h"

namespace deepinfer {

std::vector<ResultType> FakeQuantise::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1}).shape;
  if (shape[1] % 32 != 0)
    in.fail(0, "cannot be quantised in blocks", "a multiple of 32", std::to_string(shape[1]));
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
