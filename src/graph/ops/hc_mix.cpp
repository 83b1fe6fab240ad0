#include "graph/ops/hc_mix.h"

namespace deepinfer {

std::vector<ResultType> HcMix::infer(const OperandTypes& in) const {
  const Shape& shape = in.expect(0, DType::f32, {-1, -1, -1}).shape;
  const std::int64_t streams = shape[1];
  in.expect_weight(1, {(2 + streams) * streams, streams * shape[2]}, true);
  in.expect_weight(2, {3}, true);
  in.expect_weight(3, {(2 + streams) * streams}, true);
  return {{DType::f32, {shape[0], streams}},
          {DType::f32, {shape[0], streams}},
          {DType::f32, {shape[0], streams, streams}}};
}

}  // namespace deepinfer
