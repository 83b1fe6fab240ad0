#include "graph/ops/cache_view.h"

namespace deepinfer {

std::vector<ResultType> CacheView::infer(const OperandTypes& in) const {
  const Shape& root = in.expect(0, DType::u8, {-1}).shape;
  if (const std::string expected = recipe.fault(root[0]); !expected.empty())
    in.refuse("is not a column slice of its root", expected, recipe.to_string());
  return {{recipe.dtype, recipe.shape}};
}

}  // namespace deepinfer
