// inspect --config: the fields as parsed, under the file's own names, and each layer's role.

#include <fmt/format.h>

#include "cli/inspect_sections.h"
#include "graph/scoring_func.h"

namespace deepinfer::cli {
namespace {

void add_widths(const ModelConfig& config, Json& json) {
  json["vocab_size"] = config.vocab_size;
  json["hidden_size"] = config.hidden_size;
  json["moe_intermediate_size"] = config.moe_intermediate_size;
  json["num_hidden_layers"] = config.num_hidden_layers;
  json["num_attention_heads"] = config.num_attention_heads;
  json["head_dim"] = config.head_dim;
  json["qk_rope_head_dim"] = config.qk_rope_head_dim;
  json["q_lora_rank"] = config.q_lora_rank;
  json["o_lora_rank"] = config.o_lora_rank;
  json["o_groups"] = config.o_groups;
  json["swiglu_limit"] = config.swiglu_limit;
  json["rms_norm_eps"] = config.rms_norm_eps;
  json["max_position_embeddings"] = config.max_position_embeddings;
  json["rope_theta"] = config.rope_theta;
  json["compress_rope_theta"] = config.compress_rope_theta;
  if (config.has_yarn)
    json["rope_scaling"] = {
        {"rope_type", "yarn"},
        {"factor", config.yarn.factor},
        {"beta_fast", config.yarn.beta_fast},
        {"beta_slow", config.yarn.beta_slow},
        {"original_max_position_embeddings", config.yarn.original_max_position_embeddings}};
}

void add_experts(const ModelConfig& config, Json& json) {
  json["n_routed_experts"] = config.n_routed_experts;
  json["num_experts_per_tok"] = config.num_experts_per_tok;
  json["scoring_func"] = name_of(config.scoring_func);
  json["gate_temp"] = config.gate_temp;
  json["norm_topk_prob"] = config.norm_topk_prob;
  json["routed_scaling_factor"] = config.routed_scaling_factor;
}

void add_attention(const ModelConfig& config, Json& json) {
  json["sliding_window"] = config.sliding_window;
  json["compress_ratios"] = config.compress_ratios;
  json["kv_source_layer_ids"] = config.kv_source_layer_ids;
  json["index_source_layer_ids"] = config.index_source_layer_ids;
  json["index_n_heads"] = config.index_n_heads;
  json["index_head_dim"] = config.index_head_dim;
  json["index_topk"] = config.index_topk;
  json["candidate_source_layer_id"] = config.candidate_source_layer_id;
  json["candidate_topk_blocks"] = config.candidate_topk_blocks;
  json["candidate_block_size"] = config.candidate_block_size;
  json["hc_mult"] = config.hc_mult;
  json["hc_sinkhorn_iters"] = config.hc_sinkhorn_iters;
  json["hc_eps"] = config.hc_eps;
}

void add_engram(const EngramConfig& engram, Json& json) {
  json["engram_layer_ids"] = engram.layer_ids;
  if (!engram.enabled()) return;
  json["engram_num_embeddings"] = engram.num_embeddings;
  json["engram_max_ngram_size"] = engram.max_ngram_size;
  json["engram_vocab_size"] = engram.vocab_size;
  json["engram_n_heads"] = engram.n_heads;
  json["engram_head_dim"] = engram.head_dim;
  json["engram_pad_token_id"] = engram.pad_token_id;
  json["engram_compressed_vocab_size"] = engram.compressed_vocab_size;
}

Json layer_json(const ModelConfig& config, int layer) {
  return {{"layer", layer},
          {"ratio", config.ratio(layer)},
          {"kv_source", config.kv_source_of(layer)},
          {"index_source", config.index_source_of(layer)},
          {"uses_candidates", config.uses_candidates(layer)},
          {"engram", config.engram_index(layer)}};
}

std::string layer_text(const ModelConfig& config, int layer) {
  std::string text = fmt::format("layer {:>3}  ", layer);
  if (config.kv_source_of(layer) < 0)
    text += "window only";
  else
    text += fmt::format(
        "window, ratio {} KV of layer {}{}, index of layer {}{}{}", config.ratio(layer),
        config.kv_source_of(layer), config.is_kv_source(layer) ? " (its own)" : "",
        config.index_source_of(layer), config.is_index_source(layer) ? " (its own)" : "",
        config.uses_candidates(layer) ? ", candidate blocks" : "");
  if (config.engram_index(layer) >= 0)
    text += fmt::format(", engram {}", config.engram_index(layer));
  return text + "\n";
}

}  // namespace

Section config_section(const ModelConfig& config) {
  Json json = {{"bos_token_id", config.bos_token_id}, {"eos_token_ids", config.eos_token_ids},
               {"pad_token_id", config.pad_token_id}, {"image_token_id", config.image_token_id},
               {"has_vision", config.has_vision},     {"quantized", config.quantized}};
  add_widths(config, json);
  add_experts(config, json);
  add_attention(config, json);
  add_engram(config.engram, json);
  json["num_nextn_predict_layers"] = config.num_nextn_predict_layers;

  std::string text;
  for (const auto& [key, value] : json.items())
    text += fmt::format("{:<32}{}\n", key, value.dump());
  json["layers"] = Json::array();
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    json["layers"].push_back(layer_json(config, layer));
    text += layer_text(config, layer);
  }
  return {.text = std::move(text), .json = std::move(json)};
}

}  // namespace deepinfer::cli
