#pragma once

// cache_view: one column of a cache root, sliced by a recipe. Produces no bytes.
//
// Row `i` of the view starts at root + offset + i * row_bytes and holds `shape[1:]` elements.

#include <array>
#include <string_view>
#include <vector>

#include "graph/op_support.h"
#include "graph/view_recipe.h"

namespace deepinfer {

struct CacheView {
  static constexpr std::string_view kName = "cache_view";
  static constexpr auto kOperands = std::array<std::string_view, 1>{"root"};
  static constexpr int kOptionalOperands = 0;
  static constexpr auto kResults = std::array<std::string_view, 1>{"view"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  ViewRecipe recipe;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("root", self.recipe.root);
    visitor("offset", self.recipe.offset);
    visitor("row_bytes", self.recipe.row_bytes);
    visitor("shape", self.recipe.shape);
    visitor("dtype", self.recipe.dtype);
  }
  bool operator==(const CacheView&) const = default;
};

}  // namespace deepinfer
