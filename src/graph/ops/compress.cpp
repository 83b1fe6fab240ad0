#include "graph/ops/compress.h"

namespace deepinfer {

std::vector<ResultType> Compress::infer(const OperandTypes& in) const {
  const Shape a = in.expect(0, DType::f32, {-1, -1}).shape;
  in.expect(1, DType::f32, a);
  in.expect_view(2, DType::f32, {-1, 2, a[1]});
  for (std::size_t index = 3; index < 6; ++index) in.expect(index, DType::i32, {a[0]});
  return {{DType::f32, a}};
}

}  // namespace deepinfer
