#include "graph/ops/window_write.h"

namespace deepinfer {

std::vector<ResultType> WindowWrite::infer(const OperandTypes& in) const {
  const Shape& kv = in.expect(0, DType::f32, {-1, -1}).shape;
  in.expect_view(1, DType::u8, {-1, -1, kv[1] + kv[1] / 32});
  in.expect(2, DType::i32, {kv[0]});
  in.expect(3, DType::i32, {kv[0]});
  return {};
}

}  // namespace deepinfer
