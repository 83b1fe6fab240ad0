#include "graph/ops/block_write.h"

namespace deepinfer {

std::vector<ResultType> BlockWrite::infer(const OperandTypes& in) const {
  const Shape& values = in.expect(0, DType::f32, {-1, -1}).shape;
  const auto record =
      static_cast<std::int64_t>(record_bytes(quantiser, static_cast<std::size_t>(values[1])));
  in.require_at_least("ratio", ratio, 1);
  in.expect_view(1, DType::u8, {-1, -1, record});
  in.expect(2, DType::i32, {-1, -1});
  in.expect(3, DType::i32, {values[0]});
  in.expect(4, DType::i32, {values[0]});
  return {};
}

}  // namespace deepinfer
