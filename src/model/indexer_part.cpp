// Index scores, candidate blocks and top-k of an index source, model specification 2.9.5 to 2.9.9.

#include <algorithm>
#include <cmath>

#include "model/layer_builder.h"

namespace deepinfer {

void LayerBuilder::index(int layer, ValueId x, ValueId query_rank, Selection& selection) {
  const GraphBuilder::Scope scope(graph_, "indexer");
  const int heads = config_.index_n_heads;
  const int head_dim = config_.index_head_dim;
  const int ratio = config_.ratio(layer);
  const auto name = [&](std::string_view rest) {
    return layer_name(layer, "attn.indexer.") + std::string(rest);
  };

  const ValueId q =
      graph_.add(FakeQuantise{.quantiser = Quantiser::q4u},
                 {rope(layer, quantised_linear(name("wq_b"), query_rank, heads * head_dim, "q"),
                       head_dim, 1, false, "q_rope")},
                 "q_fp4");
  const auto factor = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)) /
                                         std::sqrt(static_cast<double>(heads)));
  const ValueId weights =
      graph_.add(Scale{.factor = factor, .rounding = rounding()},
                 {plain_linear(name("weights_proj.weight"), x, heads, rounding(), "head_weights")},
                 "head_weights_scaled");

  // Always the keys of the layer's own KV source (2.9.6), whoever published last.
  std::vector<ValueId> operands = {
      q,      weights,       view(config_.kv_source_of(layer), CacheKind::ica_cache), block_table_,
      slots_, visible(ratio)};
  IndexTopK op{.heads = heads,
               .topk = std::min(config_.index_topk, max_entries(ratio)),
               .bf16_scores = official(),
               .block_size = 0,
               .publish_blocks = 0};
  if (layer == config_.candidate_source_layer_id) {
    op.block_size = config_.candidate_block_size;
    const int blocks = (max_entries(ratio) + op.block_size - 1) / op.block_size;
    op.publish_blocks = std::min(config_.candidate_topk_blocks, blocks);
  } else if (config_.uses_candidates(layer)) {
    op.block_size = config_.candidate_block_size;
    operands.push_back(selection.candidate_blocks);
  }
  const auto results = graph_.add_all(op, std::move(operands), {"selected", "candidate_blocks"});
  selection.selected = results[0];
  trace(layer, "selected", results[0]);
  if (results.size() > 1) {
    selection.candidate_blocks = results[1];
    trace(layer, "candidate_blocks", results[1]);
  }
}

}  // namespace deepinfer
