#include "graph/ops/hc_collapse.h"

namespace deepinfer {

std::vector<ResultType> HcCollapse::infer(const OperandTypes& in) const {
  const Shape& shape = in.expect(0, DType::f32, {-1, -1, -1}).shape;
  in.expect(1, DType::f32, {shape[0], shape[1]});
  return {{DType::f32, {shape[0], shape[2]}}};
}

}  // namespace deepinfer
