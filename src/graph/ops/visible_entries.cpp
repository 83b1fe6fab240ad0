#include "graph/ops/visible_entries.h"

namespace deepinfer {

std::vector<ResultType> VisibleEntries::infer(const OperandTypes& in) const {
  const Shape& positions = in.expect(0, DType::i32, {-1}).shape;
  in.expect(1, DType::i32, {positions[0]});
  if (ratio < 1) in.refuse("has no ratio", "at least 1", std::to_string(ratio));
  return {};
}

}  // namespace deepinfer
