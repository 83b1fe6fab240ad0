#pragma once

// index_top_k: the compressed entries each row will attend to, and optionally the candidate blocks.
//
//   score[j] = sum_h relu(q[t, h] . key[j]) * weights[t, h]
//   for the entries that the row sees, j < visible[t] (see visible_entries)
// With `bf16_scores` the dot, the product and the sum are rounded to bf16 (official rounding
// points). `selected` holds the topk best in ascending order, -1 behind them; ties: lower index. If
// publish_blocks > 0 the op also returns the best blocks of block_size entries (the newest visible
// block always among them), ascending, -1 behind them. With the operand `candidates` only entries
// in those blocks compete. Scores are made in pieces: workspace does not grow with the context.
// Model specification 2.9.5 to 2.9.9.

#include <array>
#include <string_view>
#include <vector>

#include "core/quantise.h"
#include "graph/op_support.h"

namespace deepinfer {

struct IndexTopK {
  static constexpr std::string_view kName = "index_top_k";
  static constexpr auto kOperands = std::array<std::string_view, 7>{
      "q", "weights", "ica_cache", "block_table", "slots", "visible", "candidates"};
  static constexpr int kOptionalOperands = 1;
  static constexpr auto kResults = std::array<std::string_view, 2>{"selected", "candidate_blocks"};
  static constexpr int kWrites = -1;
  static constexpr int kInPlace = -1;

  int heads = 0;  ///< index_n_heads
  int topk = 0;
  bool bf16_scores = false;
  int block_size = 0;      ///< entries per candidate block; 0 = no candidates
  int publish_blocks = 0;  ///< candidate blocks to publish

  std::vector<ResultType> infer(const OperandTypes& in) const;
  static void visit(auto& self, auto& visitor) {
    visitor("heads", self.heads);
    visitor("topk", self.topk);
    visitor("bf16_scores", self.bf16_scores);
    visitor("block_size", self.block_size);
    visitor("publish_blocks", self.publish_blocks);
  }
  bool operator==(const IndexTopK&) const = default;
};

}  // namespace deepinfer
