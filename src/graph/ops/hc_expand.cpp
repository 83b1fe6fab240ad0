#include "graph/ops/hc_expand.h"

namespace deepinfer {

std::vector<ResultType> HcExpand::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(1, DType::f32, {-1, -1, -1}).shape;
  in.expect(0, DType::f32, {shape[0], shape[2]});
  in.expect(2, DType::f32, {shape[0], shape[1]});
  in.expect(3, DType::f32, {shape[0], shape[1], shape[1]});
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
