#include "checkpoint/config_rules.h"

#include <algorithm>
#include <string>

#include "checkpoint/config_fields.h"
#include "checkpoint/config_sections.h"
#include "checkpoint/engram_layout.h"

namespace deepinfer {
namespace {

constexpr std::int64_t kBlock = 32;  // channels per scale, of weights and of cache entries

std::string text(std::int64_t value) { return std::to_string(value); }

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void require_ratio_of_source(const ModelConfig& config, std::string_view where, int layer,
                             int source) {
  if (config.ratio(layer) == config.ratio(source)) return;
  config_fault(where, "layer " + text(layer) + ": ratio " + text(config.ratio(layer)) +
                          " differs from source layer " + text(source) + " ratio " +
                          text(config.ratio(source)));
}

}  // namespace

void check_config_rules(const ModelConfig& config, std::string_view where) {
  check_special_tokens(config, where);
  check_width_rules(config, where);
  check_source_lists(config, where);
  check_layer_sources(config, where);
  check_candidate_rules(config, where);
  check_engram_rows(config, where);
  check_block_divisibility(config, where);
}

void check_special_tokens(const ModelConfig& config, std::string_view where) {
  const auto check = [&](std::string_view name, int id) {
    if (id >= config.vocab_size) {
      config_fault(where, std::string(name) + " " + text(id) + " is not below vocab_size " +
                              text(config.vocab_size));
    }
  };
  check("bos_token_id", config.bos_token_id);
  for (const int id : config.eos_token_ids) check("eos_token_id", id);
  check("pad_token_id", config.pad_token_id);
}

void check_width_rules(const ModelConfig& config, std::string_view where) {
  if (config.num_experts_per_tok > config.n_routed_experts) {
    config_fault(where, "num_experts_per_tok exceeds n_routed_experts");
  }
  const std::int64_t all_experts = std::int64_t{config.num_hidden_layers} * config.n_routed_experts;
  if (all_experts > config_limits::kAllExperts) {
    config_fault(where, "num_hidden_layers * n_routed_experts " + text(all_experts) +
                            " is above the supported maximum " + text(config_limits::kAllExperts));
  }
  const int rope = config.qk_rope_head_dim;
  const bool fits_indexer = config.index_head_dim == 0 || rope <= config.index_head_dim;
  if (rope % 2 != 0 || rope > config.head_dim || !fits_indexer) {
    config_fault(where, "qk_rope_head_dim " + text(rope) +
                            " must be even and fit head_dim and index_head_dim");
  }
  if (config.num_attention_heads % config.o_groups != 0) {
    config_fault(where, "num_attention_heads must be divisible by o_groups");
  }
}

void check_source_lists(const ModelConfig& config, std::string_view where) {
  for (const auto* list : {&config.kv_source_layer_ids, &config.index_source_layer_ids}) {
    for (const int layer : *list) {
      if (config.ratio(layer) == 0) {
        config_fault(where, "source layer " + text(layer) + " has compress_ratio 0");
      }
    }
  }
  for (const int layer : config.kv_source_layer_ids) {
    if (!contains(config.index_source_layer_ids, layer)) {
      config_fault(where, "kv source layer " + text(layer) + " must also be an index source");
    }
  }
}

void check_layer_sources(const ModelConfig& config, std::string_view where) {
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    if (config.ratio(layer) == 0) continue;
    const int kv = config.kv_source_of(layer);
    const int topk = config.index_source_of(layer);
    if (kv < 0 || topk < 0) {
      config_fault(where, "layer " + text(layer) + " reads compressed KV before any source");
    }
    require_ratio_of_source(config, where, layer, kv);
    require_ratio_of_source(config, where, layer, topk);
    if (topk < kv) {
      config_fault(where, "layer " + text(layer) + ": top-k source " + text(topk) +
                              " is older than kv source " + text(kv));
    }
  }
}

void check_candidate_rules(const ModelConfig& config, std::string_view where) {
  const int candidate = config.candidate_source_layer_id;
  if (candidate < 0) return;
  if (!contains(config.index_source_layer_ids, candidate)) {
    config_fault(where, "candidate_source_layer_id " + text(candidate) + " is not an index source");
  }
  for (const int source : config.kv_source_layer_ids) {
    if (source > candidate) {
      config_fault(where,
                   "kv source " + text(source) + " after candidate source " + text(candidate));
    }
  }
}

void check_engram_rows(const ModelConfig& config, std::string_view where) {
  const EngramConfig& engram = config.engram;
  if (!engram.enabled()) return;
  const std::int64_t columns =
      static_cast<std::int64_t>(engram.layer_ids.size()) * engram.columns();
  if (columns > kMaxEngramColumns) {
    config_fault(where, "engram layers have " + text(columns) +
                            " hash columns in all, above the supported maximum " +
                            text(kMaxEngramColumns));
  }
  const std::vector<EngramLayout> layouts = engram_layouts(engram);
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (layouts[i].rows() == engram.num_embeddings[i]) continue;
    config_fault(where, "engram layer " + text(engram.layer_ids[i]) + ": derived " +
                            text(layouts[i].rows()) + " rows, config says " +
                            text(engram.num_embeddings[i]));
  }
}

void check_block_divisibility(const ModelConfig& config, std::string_view where) {
  const auto require = [&](std::string_view name, std::int64_t value, std::string_view reason) {
    if (value % kBlock == 0) return;
    config_fault(where, std::string(name) + " must be divisible by 32" + std::string(reason));
  };
  require("head_dim", config.head_dim, " (cache quantisation blocks)");
  require("index_head_dim", config.index_head_dim, " (cache quantisation blocks)");
  if (!config.quantized) return;
  require("hidden_size", config.hidden_size, "");
  require("q_lora_rank", config.q_lora_rank, "");
  require("moe_intermediate_size", config.moe_intermediate_size, "");
  require("o_groups*o_lora_rank", std::int64_t{config.o_groups} * config.o_lora_rank, "");
  const EngramConfig& engram = config.engram;
  if (!engram.enabled()) return;
  require("(engram_max_ngram_size-1)*engram_n_heads*engram_head_dim",
          std::int64_t{engram.columns()} * engram.head_dim, "");
  // One scale covers 32 columns of one table row (model specification 3.6), so rows are whole
  // blocks.
  require("engram_head_dim", engram.head_dim, "");
}

}  // namespace deepinfer
