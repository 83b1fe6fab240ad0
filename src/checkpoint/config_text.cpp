// Widths, hyper-connections, experts and the engram section of text_config.

#include <nlohmann/json.hpp>

#include "checkpoint/config_sections.h"
#include "checkpoint/engram_layout.h"

namespace deepinfer {
namespace {

using nlohmann::json;
namespace limits = config_limits;

int positive(const ConfigFields& text, std::string_view name, std::int64_t max) {
  return static_cast<int>(text.positive(name, max));
}

/// For fields of which only one value is supported.
void require_one(const ConfigFields& text, std::string_view name) {
  const json* value = text.find(name);
  if (value != nullptr && *value != json(1)) {
    text.fail(std::string(name) + " must be 1, got " + value_text(*value));
  }
}

void require_word(const ConfigFields& text, std::string_view name, std::string_view word) {
  const std::string value = text.text_or(name, word);
  if (value != word) {
    text.fail(std::string(name) + " must be '" + std::string(word) + "', got '" + value + "'");
  }
}

std::vector<std::int64_t> table_rows(const ConfigFields& text, std::size_t layers) {
  const json& list = text.require("engram_num_embeddings");
  if (!list.is_array() || list.size() != layers) {
    text.fail("engram_num_embeddings must have one entry per engram layer");
  }
  std::vector<std::int64_t> rows;
  for (const json& item : list) {
    // Beyond int64 reads as negative and is refused as well.
    if (!item.is_number_integer() || item.get<std::int64_t>() < 1) {
      text.fail("text_config.engram_num_embeddings must be a positive integer, got " +
                value_text(item));
    }
    rows.push_back(item.get<std::int64_t>());
  }
  return rows;
}

}  // namespace

void read_widths(const ConfigFields& text, ModelConfig& config) {
  config.vocab_size = positive(text, "vocab_size", limits::kVocab);
  config.hidden_size = positive(text, "hidden_size", limits::kWidth);
  config.moe_intermediate_size = positive(text, "moe_intermediate_size", limits::kWidth);
  config.num_hidden_layers = positive(text, "num_hidden_layers", limits::kLayers);
  config.num_attention_heads = positive(text, "num_attention_heads", limits::kHeads);
  config.head_dim = positive(text, "head_dim", limits::kHeadDim);
  config.qk_rope_head_dim = positive(text, "qk_rope_head_dim", limits::kHeadDim);
  config.q_lora_rank = positive(text, "q_lora_rank", limits::kWidth);
  config.o_lora_rank = positive(text, "o_lora_rank", limits::kWidth);
  config.o_groups = positive(text, "o_groups", limits::kHeads);
  config.max_position_embeddings = text.positive("max_position_embeddings", limits::kPositions);
  config.rms_norm_eps =
      static_cast<float>(text.number_or("rms_norm_eps", 1e-20, NumberRange::positive));
  config.num_nextn_predict_layers =
      static_cast<int>(text.non_negative_or("num_nextn_predict_layers", 0, limits::kDraftLayers));
  config.hc_mult = positive(text, "hc_mult", limits::kStreams);
  config.hc_sinkhorn_iters = positive(text, "hc_sinkhorn_iters", limits::kSinkhornRounds);
  config.hc_eps = static_cast<float>(text.number_or("hc_eps", 1e-6, NumberRange::non_negative));
  require_one(text, "num_key_value_heads");
  if (text.boolean_or("attention_bias", false)) text.fail("attention_bias is not supported");
}

void read_experts(const ConfigFields& text, ModelConfig& config) {
  require_word(text, "hidden_act", "silu");
  config.swiglu_limit = static_cast<float>(text.number("swiglu_limit", NumberRange::any));
  config.n_routed_experts = positive(text, "n_routed_experts", limits::kExperts);
  config.num_experts_per_tok = positive(text, "num_experts_per_tok", limits::kExperts);
  require_one(text, "n_shared_experts");
  const std::string score = text.text_or("scoring_func", "sqrtsoftplus");
  if (score == "sqrtsoftplus") {
    config.scoring_func = ScoringFunc::sqrtsoftplus;
  } else if (score == "sigmoid") {
    config.scoring_func = ScoringFunc::sigmoid;
  } else if (score == "softmax") {
    config.scoring_func = ScoringFunc::softmax;
  } else {
    text.fail("unknown scoring_func '" + score + "'");
  }
  require_word(text, "topk_method", "noaux_tc");
  config.gate_temp = static_cast<float>(text.number_or("gate_temp", 1, NumberRange::positive));
  config.norm_topk_prob = text.boolean_or("norm_topk_prob", true);
  config.routed_scaling_factor =
      static_cast<float>(text.number("routed_scaling_factor", NumberRange::any));
}

void read_engram(const ConfigFields& text, ModelConfig& config) {
  EngramConfig& engram = config.engram;
  if (text.has("engram_layer_ids")) {
    engram.layer_ids = text.layer_ids("engram_layer_ids", config.num_hidden_layers);
  }
  if (!engram.enabled()) return;
  engram.num_embeddings = table_rows(text, engram.layer_ids.size());
  engram.max_ngram_size = positive(text, "engram_max_ngram_size", kMaxEngramNgramSize);
  if (engram.max_ngram_size < 2) {
    text.fail("text_config.engram_max_ngram_size must be at least 2, got " +
              std::to_string(engram.max_ngram_size));
  }
  engram.vocab_size = text.positive("engram_vocab_size", kMaxEngramVocabSize);
  engram.n_heads = positive(text, "engram_n_heads", kMaxEngramHeads);
  engram.head_dim = positive(text, "engram_head_dim", limits::kHeadDim);
  engram.compressed_vocab_size = positive(text, "engram_compressed_vocab_size", limits::kVocab);
  // The released file and other readers disagree on this name (model specification 1.2).
  const char* pad_name = text.has("engram_pad_token_id") ? "engram_pad_token_id" : "engram_pad_id";
  engram.pad_token_id = static_cast<int>(text.non_negative_or(pad_name, 2, limits::kVocab));
  if (engram.pad_token_id >= config.vocab_size) {
    text.fail("text_config." + std::string(pad_name) + " " + std::to_string(engram.pad_token_id) +
              " is not below vocab_size " + std::to_string(config.vocab_size));
  }
}

}  // namespace deepinfer
