#include "graph/ops/rope.h"

namespace deepinfer {

void Rope::require_heads(const OperandTypes& in) const {
  const std::int64_t width = in[0].shape[1];
  if (head_dim <= 0 || width % head_dim != 0)
    in.fail(0, "is not a whole number of heads", "a multiple of " + std::to_string(head_dim),
            std::to_string(width));
  if (frequencies == nullptr || 2 * frequencies->size() > static_cast<std::size_t>(head_dim))
    in.refuse("has no frequencies that fit a head", std::to_string(head_dim / 2) + " at most",
              frequencies == nullptr ? "none" : std::to_string(frequencies->size()));
  in.require_at_least("position_step", position_step, 1);
}

std::vector<ResultType> Rope::infer(const OperandTypes& in) const {
  const Shape shape = in.expect(0, DType::f32, {-1, -1}).shape;
  require_heads(in);
  in.expect(1, DType::i32, {shape[0]});
  return {{DType::f32, shape}};
}

}  // namespace deepinfer
