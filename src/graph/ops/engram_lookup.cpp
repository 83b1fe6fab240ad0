#include "graph/ops/engram_lookup.h"

namespace deepinfer {

std::vector<ResultType> EngramLookup::infer(const OperandTypes& in) const {
  in.require_at_least("head_dim", head_dim, 1);
  const auto record =
      static_cast<std::int64_t>(record_bytes(Quantiser::q8, static_cast<std::size_t>(head_dim)));
  const Shape& shape = in.expect(0, DType::u8, {-1, -1, record}).shape;
  return {{DType::f32, {shape[0], shape[1] * head_dim}}};
}

}  // namespace deepinfer
