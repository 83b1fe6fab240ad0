#include "graph/ops/cache_view.h"

namespace deepinfer {

std::vector<ResultType> CacheView::infer(const OperandTypes& in) const {
  const Shape& root = in.expect(0, DType::u8, {-1}).shape;
  const std::int64_t end =
      recipe.offset + (recipe.shape[0] - 1) * recipe.row_bytes + recipe.column_bytes();
  if (recipe.offset < 0 || recipe.row_bytes < recipe.column_bytes() || end > root[0])
    in.fail(0, "does not hold the view", "at least " + std::to_string(end) + " bytes",
            std::to_string(root[0]));
  return {{recipe.dtype, recipe.shape}};
}

void CacheView::describe(AttributeList& out) const {
  out.add("offset", std::to_string(recipe.offset));
  out.add("row_bytes", std::to_string(recipe.row_bytes));
}

}  // namespace deepinfer
