#pragma once

// The `config.json` of a DeepSeek-V4.1 checkpoint, read and checked once.
//
// Field names are the file's own. Plain value type: copy it, share it between threads, never edit
// it after parse_config() returned it. Every rule that parse_config() enforces is a row of the
// specification's table of rejected values.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

enum class ScoringFunc { sqrtsoftplus, sigmoid, softmax };

/// YaRN stretch of the rotary frequencies of compressed layers.
struct YarnScaling {
  double factor = 1;
  double beta_fast = 32;
  double beta_slow = 1;
  std::int64_t original_max_position_embeddings = 0;
};

struct EngramConfig {
  std::vector<int> layer_ids;                ///< engram_layer_ids, increasing; empty = no engram
  std::vector<std::int64_t> num_embeddings;  ///< table rows, one per engram layer
  int max_ngram_size = 0;                    ///< n-gram sizes 2..max_ngram_size
  std::int64_t vocab_size = 0;               ///< primes are searched from here
  int n_heads = 0;                           ///< hash heads per n-gram size
  int head_dim = 0;                          ///< table row width
  int pad_token_id = 2;                      ///< raw token id that fills missing look-back
  int compressed_vocab_size = 0;

  bool enabled() const { return !layer_ids.empty(); }
  int columns() const { return enabled() ? (max_ngram_size - 1) * n_heads : 0; }
};

struct ModelConfig {
  // Top level.
  int bos_token_id = 0;
  std::vector<int> eos_token_ids = {1};
  int pad_token_id = 2;
  int image_token_id = 129264;
  bool has_vision = false;  ///< vision_config present: vision tensors and gate.bias_vl exist
  bool quantized = true;    ///< quantization_config present

  // text_config: widths.
  int vocab_size = 0;
  int hidden_size = 0;
  int moe_intermediate_size = 0;
  int num_hidden_layers = 0;
  int num_attention_heads = 0;
  int head_dim = 0;
  int qk_rope_head_dim = 0;
  int q_lora_rank = 0;
  int o_lora_rank = 0;
  int o_groups = 0;
  float swiglu_limit = 0;  ///< <= 0: no clamp
  float rms_norm_eps = 1e-20F;
  std::int64_t max_position_embeddings = 0;

  // Rotary embedding.
  double rope_theta = 10000;
  double compress_rope_theta = 0;
  bool has_yarn = false;
  YarnScaling yarn;  ///< of compressed layers, if has_yarn

  // Mixture of experts.
  int n_routed_experts = 0;
  int num_experts_per_tok = 0;
  ScoringFunc scoring_func = ScoringFunc::sqrtsoftplus;
  float gate_temp = 1;
  bool norm_topk_prob = true;
  float routed_scaling_factor = 0;

  // Attention structure.
  int sliding_window = 0;
  std::vector<int> compress_ratios;  ///< backbone layers only (num_hidden_layers entries)
  std::vector<int> kv_source_layer_ids;
  std::vector<int> index_source_layer_ids;
  int index_n_heads = 0;
  int index_head_dim = 0;
  int index_topk = 0;
  int candidate_source_layer_id = -1;  ///< negative: no candidate blocks
  int candidate_topk_blocks = 0;
  int candidate_block_size = 0;

  // Hyper-connections.
  int hc_mult = 0;
  int hc_sinkhorn_iters = 0;
  float hc_eps = 1e-6F;

  EngramConfig engram;
  int num_nextn_predict_layers = 0;

  // Draft head and vision tower: read only so that `check` knows their tensors' shapes. 0 = absent.
  int dspark_n_routed_experts = 0;
  int dspark_markov_rank = 0;
  int vision_num_hidden_layers = 0;

  // Roles (specification 1.7).
  int ratio(int layer) const { return compress_ratios[static_cast<std::size_t>(layer)]; }
  bool is_kv_source(int layer) const;
  bool is_index_source(int layer) const;
  /// Largest KV source not above `layer`; -1 if the layer has no compressed branch.
  int kv_source_of(int layer) const;
  /// Largest index source not above `layer`; -1 if the layer has no compressed branch.
  int index_source_of(int layer) const;
  /// Index into engram.layer_ids, -1 if no engram runs before `layer`.
  int engram_index(int layer) const;
  /// Whether the layer's top-k is restricted to the candidate blocks of an earlier layer.
  bool uses_candidates(int layer) const;
};

/// Parses and checks the text of a config.json. `where` names it in errors (usually the path).
/// Throws Error (bad_input) with the specification's wording behind "deepseek_v41 config: ".
ModelConfig parse_config(std::string_view json_text, std::string_view where);

/// Reads and parses `<directory>/config.json`.
ModelConfig read_config(const std::string& directory);

}  // namespace deepinfer
