#include "graph/ops/sparse_attention.h"

namespace deepinfer {

std::vector<ResultType> SparseAttention::infer(const OperandTypes& in) const {
  const Shape q = in.expect(0, DType::f32, {-1, -1}).shape;
  if (heads <= 0 || q[1] % heads != 0)
    in.fail(0, "is not a whole number of heads", "a multiple of " + std::to_string(heads),
            std::to_string(q[1]));
  in.require_at_least("window", window, 1);
  const auto width = static_cast<std::size_t>(q[1] / heads);
  const Shape& ring =
      in.expect_view(1, DType::u8,
                     {-1, -1, static_cast<std::int64_t>(record_bytes(Quantiser::q8, width))})
          .shape;
  if (ring[1] < window)
    in.fail(1, "is shorter than the window", std::to_string(window), std::to_string(ring[1]));
  in.expect(2, DType::i32, {q[0]});
  in.expect(3, DType::i32, {q[0]});
  in.expect_weight(4, {heads}, true);
  if (in.size() > 5) {
    in.expect_view(5, DType::u8,
                   {-1, -1, static_cast<std::int64_t>(record_bytes(Quantiser::q4e, width))});
    in.expect(6, DType::i32, {-1, -1});
    in.expect(7, DType::i32, {q[0], -1});
  }
  return {{DType::f32, q}};
}

}  // namespace deepinfer
