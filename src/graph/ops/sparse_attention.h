#pragma once

// sparse_attention: softmax attention over the window and the selected compressed entries together.
//
// One vector is key and value for all heads. Entries in list order: window positions
// p-window+1 … p (absent ones skipped but counted), then `selected`. sink[h] joins the denominator
// only. With `online_bf16` the softmax runs in blocks of 64 list entries with probabilities rounded
// to bf16 before the value product (official); else it is exact in fp32. A row with nothing to see
// gives 0. Model specification 2.9.10.

#include <array>
#include <string_view>
#include <vector>

#include "core/quantise.h"
#include "graph/op_support.h"

namespace deepinfer {

struct SparseAttention {
  static constexpr std::string_view kName = "sparse_attention";
  static constexpr auto kOperands = std::array<std::string_view, 8>{
      "q", "swa_cache", "slots", "positions", "sink", "ca_cache", "block_table", "selected"};
  static constexpr int kOptionalOperands = 3;
  static constexpr auto kResults = std::array<std::string_view, 1>{"o"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int heads = 0;
  int window = 0;           ///< sliding_window
  float softmax_scale = 0;  ///< head_dim^-0.5
  bool online_bf16 = false;
  Rounding rounding = Rounding::none;

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("heads", self.heads);
    visitor("window", self.window);
    visitor("softmax_scale", self.softmax_scale);
    visitor("online_bf16", self.online_bf16);
    visitor("round", self.rounding);
  }
  bool operator==(const SparseAttention&) const = default;
};

}  // namespace deepinfer
