#include "graph/ops/linear_group.h"

namespace deepinfer {

std::vector<ResultType> LinearGroup::infer(const OperandTypes& in) const {
  const Shape& x = in.expect(0, DType::f32, {-1, -1}).shape;
  linear.require_blocks(in);
  std::vector<ResultType> results;
  results.reserve(kMostWeights);
  for (std::size_t index = 1; index < in.size(); ++index) {
    const Value& weight = in.expect_weight(index, {-1, x[1]});
    if (weight.format != in[1].format)
      in.fail(index, "is of another format than the first weight",
              std::string(name_of(in[1].format)), std::string(name_of(weight.format)));
    results.push_back({DType::f32, {x[0], weight.shape[0]}});
  }
  return results;
}

}  // namespace deepinfer
