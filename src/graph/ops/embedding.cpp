#include "graph/ops/embedding.h"

namespace deepinfer {

std::vector<ResultType> Embedding::infer(const OperandTypes& in) const {
  const std::int64_t rows = in.expect(0, DType::i32, {-1}).shape[0];
  in.require_at_least("streams", streams, 1);
  const std::int64_t width = in.expect_weight(1, {-1, -1}, true).shape[1];
  return {{DType::f32, {rows, streams, width}}, {DType::f32, {rows, streams}}};
}

}  // namespace deepinfer
