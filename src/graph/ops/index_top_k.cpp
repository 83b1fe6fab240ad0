#include "graph/ops/index_top_k.h"

namespace deepinfer {

std::vector<ResultType> IndexTopK::infer(const OperandTypes& in) const {
  const Shape& q = in.expect(0, DType::f32, {-1, -1}).shape;
  if (heads <= 0 || q[1] % heads != 0)
    in.fail(0, "is not a whole number of heads", "a multiple of " + std::to_string(heads),
            std::to_string(q[1]));
  in.expect(1, DType::f32, {q[0], heads});
  in.require_at_least("topk", topk, 1);
  if (in.size() > 6 || publish_blocks > 0) in.require_at_least("block_size", block_size, 1);
  const auto width = static_cast<std::size_t>(q[1] / heads);
  in.expect_view(2, DType::u8,
                 {-1, -1, static_cast<std::int64_t>(record_bytes(Quantiser::q4u, width))});
  in.expect(3, DType::i32, {-1, -1});
  in.expect(4, DType::i32, {q[0]});
  in.expect(5, DType::i32, {q[0]});
  if (in.size() > 6) {
    in.expect(6, DType::i32, {q[0], -1});
    // A source chooses among all entries (model specification 2.9.8): what it would publish from
    // restricted ones is undefined.
    if (publish_blocks > 0)
      in.fail(6, "restricts a source of candidate blocks", "no candidates",
              std::to_string(publish_blocks) + " blocks to publish");
  }
  std::vector<ResultType> results = {{DType::i32, {q[0], topk}}};
  if (publish_blocks > 0) results.push_back({DType::i32, {q[0], publish_blocks}});
  return results;
}

}  // namespace deepinfer
