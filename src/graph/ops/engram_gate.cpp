#include "graph/ops/engram_gate.h"

namespace deepinfer {

std::vector<ResultType> EngramGate::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1, -1}).shape;
  in.expect(1, DType::f32, {shape[0], (shape[1] + 1) * shape[2]});
  in.expect_weight(2, {shape[1], shape[2]}, true);
  in.expect_weight(3, {shape[1], shape[2]}, true);
  return {{DType::f32, shape}, {DType::f32, {shape[0], shape[1]}}};
}

}  // namespace deepinfer
