// Attention, model specification 2.9: query, window KV, the compressed branch, core, output.

#include <cmath>

#include "model/layer_builder.h"

namespace deepinfer {

ValueId LayerBuilder::attention(int layer, ValueId x, Selection& selection) {
  const GraphBuilder::Scope scope(graph_, "attn");
  const int heads = config_.num_attention_heads;
  const int head_dim = config_.head_dim;
  const auto name = [&](std::string_view rest) {
    return layer_name(layer, "attn.") + std::string(rest);
  };

  // 2.9.1 query
  const ValueId query_rank =
      rms_norm(name("q_norm.weight"),
               quantised_linear(name("wq_a"), x, config_.q_lora_rank, "q_rank"), "q_rank_norm");
  const ValueId q = rope(layer, quantised_linear(name("wq_b"), query_rank, heads * head_dim, "q"),
                         head_dim, 1, false, "q_rope");

  // 2.9.2 window KV
  const ValueId kv = rope(
      layer,
      rms_norm(name("kv_norm.weight"), quantised_linear(name("wkv"), x, head_dim, "kv"), "kv_norm"),
      head_dim, 1, false, "kv_rope");
  const ValueId swa_cache = view(layer, CacheKind::swa_cache);
  graph_.add(WindowWrite{}, {kv, swa_cache, slots_, positions_}, "");

  const ValueId sink = plain_weight(name("attn_sink"), {heads});
  std::vector<ValueId> operands = {q, swa_cache, slots_, positions_, sink};
  if (config_.ratio(layer) > 0) {
    // Order of 2.11: entries finished in this step are visible to this step's rows.
    if (config_.is_kv_source(layer)) compressor(layer, x);
    if (config_.is_index_source(layer)) index(layer, x, query_rank, selection);
    operands.push_back(view(config_.kv_source_of(layer), CacheKind::ca_cache));
    operands.push_back(block_table_);
    operands.push_back(selection.selected);
  }

  // 2.9.10 core
  const ValueId o =
      graph_.add(SparseAttention{.heads = heads,
                                 .window = config_.sliding_window,
                                 .softmax_scale = 1.0F / std::sqrt(static_cast<float>(head_dim)),
                                 .online_bf16 = official(),
                                 .rounding = rounding()},
                 std::move(operands), "o");

  // 2.9.11 output
  const ValueId unrotated = rope(layer, o, head_dim, 1, true, "o_rope");
  const int groups = config_.o_groups;
  const int ranks = groups * config_.o_lora_rank;
  const ValueId wo_a =
      quantised_weight(name("wo_a"), WeightFormat::fp8, {ranks, heads * head_dim / groups});
  const ValueId z =
      graph_.add(GroupedLinear{.groups = groups, .input = rounding(), .rounding = rounding()},
                 {unrotated, wo_a}, "z");
  return quantised_linear(name("wo_b"), z, config_.hidden_size, "y");
}

}  // namespace deepinfer
