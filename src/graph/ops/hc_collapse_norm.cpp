#include "graph/ops/hc_collapse_norm.h"

namespace deepinfer {

std::vector<ResultType> HcCollapseNorm::infer(const OperandTypes& in) const {
  const Shape& shape = in.expect(0, DType::f32, {-1, -1, -1}).shape;
  in.expect(1, DType::f32, {shape[0], shape[1]});
  in.expect_weight(2, {shape[2]}, true);
  return {{DType::f32, {shape[0], shape[2]}}};
}

}  // namespace deepinfer
