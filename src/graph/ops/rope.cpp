#include "graph/ops/rope.h"

namespace deepinfer {

std::vector<ResultType> Rope::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1}).shape;
  if (head_dim <= 0 || shape[1] % head_dim != 0)
    in.fail(0, "is not a whole number of heads", "a multiple of " + std::to_string(head_dim),
            std::to_string(shape[1]));
  in.expect(1, DType::i32, {shape[0]});
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
