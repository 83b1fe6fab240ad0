#include "graph/ops/router.h"

namespace deepinfer {

std::vector<ResultType> Router::infer(const OperandTypes& in) const {
  const Shape& logits = in.expect(0, DType::f32, {-1, -1}).shape;
  in.expect_weight(1, {logits[1]}, true);
  if (experts_per_token <= 0 || experts_per_token > logits[1])
    in.fail(0, "has fewer experts than are chosen", std::to_string(experts_per_token),
            std::to_string(logits[1]));
  return {{DType::i32, {logits[0], experts_per_token}},
          {DType::f32, {logits[0], experts_per_token}}};
}

}  // namespace deepinfer
