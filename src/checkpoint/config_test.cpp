// parse_config() on configs that are right.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checkpoint/fixture_test.h"
#include "deepinfer/model_config.h"

namespace deepinfer {
namespace {

using nlohmann::json;

ModelConfig parse(const json& config) { return parse_config(config.dump(), "config.json"); }

TEST(Config, reads_every_field_of_the_released_file) {
  const ModelConfig config = parse_config(testing::released_config_text(), "config.json");
  EXPECT_EQ(config.bos_token_id, 0);
  EXPECT_EQ(config.eos_token_ids, std::vector<int>{1});
  EXPECT_EQ(config.pad_token_id, 2);
  EXPECT_EQ(config.image_token_id, 129264);
  EXPECT_TRUE(config.has_vision);
  EXPECT_TRUE(config.quantized);
  EXPECT_EQ(config.vocab_size, 129280);
  EXPECT_EQ(config.hidden_size, 5120);
  EXPECT_EQ(config.moe_intermediate_size, 2304);
  EXPECT_EQ(config.num_hidden_layers, 40);
  EXPECT_EQ(config.num_attention_heads, 64);
  EXPECT_EQ(config.head_dim, 512);
  EXPECT_EQ(config.qk_rope_head_dim, 64);
  EXPECT_EQ(config.q_lora_rank, 1280);
  EXPECT_EQ(config.o_lora_rank, 1024);
  EXPECT_EQ(config.o_groups, 8);
  EXPECT_EQ(config.swiglu_limit, 10.0F);
  EXPECT_EQ(config.rms_norm_eps, 1e-20F);
  EXPECT_EQ(config.max_position_embeddings, 1048576);
  EXPECT_EQ(config.rope_theta, 10000);
  EXPECT_EQ(config.compress_rope_theta, 160000);
  EXPECT_TRUE(config.has_yarn);
  EXPECT_EQ(config.yarn.factor, 16);
  EXPECT_EQ(config.yarn.beta_fast, 32);
  EXPECT_EQ(config.yarn.beta_slow, 1);
  EXPECT_EQ(config.yarn.original_max_position_embeddings, 65536);
  EXPECT_EQ(config.n_routed_experts, 384);
  EXPECT_EQ(config.num_experts_per_tok, 6);
  EXPECT_EQ(config.scoring_func, ScoringFunc::sqrtsoftplus);
  EXPECT_EQ(config.gate_temp, 1.0F);
  EXPECT_TRUE(config.norm_topk_prob);
  EXPECT_EQ(config.routed_scaling_factor, 1.5F);
  EXPECT_EQ(config.sliding_window, 128);
  EXPECT_EQ(config.compress_ratios.size(), 40U);
  EXPECT_EQ(config.kv_source_layer_ids, (std::vector<int>{2, 8, 14, 20}));
  EXPECT_EQ(config.index_source_layer_ids, (std::vector<int>{2, 8, 14, 20, 24, 28, 32, 36}));
  EXPECT_EQ(config.index_n_heads, 32);
  EXPECT_EQ(config.index_head_dim, 128);
  EXPECT_EQ(config.index_topk, 512);
  EXPECT_EQ(config.candidate_source_layer_id, 20);
  EXPECT_EQ(config.candidate_topk_blocks, 2048);
  EXPECT_EQ(config.candidate_block_size, 8);
  EXPECT_EQ(config.hc_mult, 4);
  EXPECT_EQ(config.hc_sinkhorn_iters, 20);
  EXPECT_EQ(config.hc_eps, 1e-6F);
  EXPECT_EQ(config.engram.layer_ids, (std::vector<int>{1, 14}));
  EXPECT_EQ(config.engram.num_embeddings, (std::vector<std::int64_t>{384006168, 384016682}));
  EXPECT_EQ(config.engram.max_ngram_size, 4);
  EXPECT_EQ(config.engram.vocab_size, 16000000);
  EXPECT_EQ(config.engram.n_heads, 8);
  EXPECT_EQ(config.engram.head_dim, 256);
  EXPECT_EQ(config.engram.pad_token_id, 2);
  EXPECT_EQ(config.engram.compressed_vocab_size, 99092);
  EXPECT_EQ(config.engram.columns(), 24);
  EXPECT_EQ(config.num_nextn_predict_layers, 3);
  EXPECT_EQ(config.dspark_n_routed_experts, 128);
  EXPECT_EQ(config.dspark_markov_rank, 256);
  EXPECT_EQ(config.vision_num_hidden_layers, 32);
}

TEST(Config, roles_of_the_released_layers) {
  const ModelConfig config = parse_config(testing::released_config_text(), "config.json");
  EXPECT_EQ(config.kv_source_of(0), -1);
  EXPECT_EQ(config.index_source_of(1), -1);
  EXPECT_EQ(config.kv_source_of(2), 2);
  EXPECT_EQ(config.kv_source_of(7), 2);
  EXPECT_EQ(config.kv_source_of(13), 8);
  EXPECT_EQ(config.kv_source_of(39), 20);
  EXPECT_EQ(config.index_source_of(27), 24);
  EXPECT_EQ(config.index_source_of(39), 36);
  EXPECT_TRUE(config.is_kv_source(14));
  EXPECT_FALSE(config.is_kv_source(24));
  EXPECT_TRUE(config.is_index_source(24));
  EXPECT_FALSE(config.is_index_source(25));
  EXPECT_EQ(config.engram_index(1), 0);
  EXPECT_EQ(config.engram_index(14), 1);
  EXPECT_EQ(config.engram_index(2), -1);
  EXPECT_FALSE(config.uses_candidates(14));
  EXPECT_FALSE(config.uses_candidates(20));
  EXPECT_TRUE(config.uses_candidates(24));
  EXPECT_EQ(config.ratio(19), 2);
  EXPECT_EQ(config.ratio(20), 1);
}

TEST(Config, reads_the_checkpoints_of_the_tests_and_the_bundled_model) {
  for (const char* directory : {"tests/data/t41", "tests/data/t41-odd", "tests/data/t41-saturated",
                                "tests/data/t41-draft", "models/DeepInfer-V4.1-tiny"}) {
    EXPECT_NO_THROW(read_config(directory)) << directory;
  }
  const ModelConfig odd = read_config("tests/data/t41-odd");
  EXPECT_EQ(odd.scoring_func, ScoringFunc::sigmoid);
  EXPECT_FALSE(odd.has_yarn);
  EXPECT_EQ(odd.candidate_source_layer_id, -1);
  EXPECT_FALSE(odd.engram.enabled());
  EXPECT_EQ(odd.engram.columns(), 0);
  const ModelConfig draft = read_config("tests/data/t41-draft");
  EXPECT_EQ(draft.compress_ratios.size(), 10U);
  EXPECT_EQ(draft.num_nextn_predict_layers, 3);
  EXPECT_TRUE(draft.has_vision);
}

TEST(Config, defaults_of_absent_fields) {
  json config = testing::t41_config();
  for (const char* name : {"architectures", "dtype", "transformers_version", "bos_token_id",
                           "eos_token_id", "pad_token_id", "image_token_id", "vision_config",
                           "tie_word_embeddings", "quantization_config"}) {
    config.erase(name);
  }
  json& text = config["text_config"];
  for (const char* name : {"model_type",
                           "num_key_value_heads",
                           "hidden_act",
                           "rms_norm_eps",
                           "attention_bias",
                           "attention_dropout",
                           "initializer_range",
                           "use_cache",
                           "tie_word_embeddings",
                           "rope_theta",
                           "rope_scaling",
                           "n_shared_experts",
                           "scoring_func",
                           "topk_method",
                           "norm_topk_prob",
                           "candidate_source_layer_id",
                           "candidate_topk_blocks",
                           "candidate_block_size",
                           "hc_eps",
                           "engram_layer_ids",
                           "engram_num_embeddings",
                           "engram_max_ngram_size",
                           "engram_vocab_size",
                           "engram_n_heads",
                           "engram_head_dim",
                           "engram_pad_token_id",
                           "engram_compressed_vocab_size",
                           "num_nextn_predict_layers"}) {
    text.erase(name);
  }
  const ModelConfig parsed = parse(config);
  EXPECT_EQ(parsed.eos_token_ids, std::vector<int>{1});
  EXPECT_EQ(parsed.image_token_id, 129264);
  EXPECT_FALSE(parsed.quantized);
  EXPECT_FALSE(parsed.has_vision);
  EXPECT_EQ(parsed.rms_norm_eps, 1e-20F);
  EXPECT_EQ(parsed.rope_theta, 10000);
  EXPECT_FALSE(parsed.has_yarn);
  EXPECT_EQ(parsed.scoring_func, ScoringFunc::sqrtsoftplus);
  EXPECT_TRUE(parsed.norm_topk_prob);
  EXPECT_EQ(parsed.candidate_source_layer_id, -1);
  EXPECT_EQ(parsed.hc_eps, 1e-6F);
  EXPECT_FALSE(parsed.engram.enabled());
  EXPECT_EQ(parsed.num_nextn_predict_layers, 0);
}

TEST(Config, accepts_legal_zeros_and_nulls) {
  json config = testing::t41_config();
  config["text_config"]["num_nextn_predict_layers"] = 0;
  config["text_config"]["candidate_source_layer_id"] = -1;
  config["text_config"]["candidate_topk_blocks"] = 0;
  config["text_config"]["rope_scaling"] = nullptr;
  config["text_config"]["engram_layer_ids"] = json::array();
  config["text_config"]["swiglu_limit"] = 0;
  const ModelConfig parsed = parse(config);
  EXPECT_EQ(parsed.candidate_source_layer_id, -1);
  EXPECT_FALSE(parsed.engram.enabled());
  EXPECT_EQ(parsed.swiglu_limit, 0.0F);
}

TEST(Config, a_model_of_window_layers_needs_no_compression_fields) {
  json config = testing::t41_config();
  json& text = config["text_config"];
  text["compress_ratios"] = std::vector<int>(10, 0);
  for (const char* name : {"kv_source_layer_ids", "index_source_layer_ids", "index_n_heads",
                           "index_head_dim", "index_topk", "compress_rope_theta"}) {
    text.erase(name);
  }
  text["candidate_source_layer_id"] = -1;
  const ModelConfig parsed = parse(config);
  EXPECT_TRUE(parsed.kv_source_layer_ids.empty());
  EXPECT_EQ(parsed.kv_source_of(9), -1);
}

TEST(Config, eos_may_be_a_list) {
  json config = testing::t41_config();
  config["eos_token_id"] = {1, 7, 9};
  EXPECT_EQ(parse(config).eos_token_ids, (std::vector<int>{1, 7, 9}));
}

TEST(Config, type_is_an_alias_of_rope_type_and_default_means_no_stretch) {
  json config = testing::t41_config();
  json& scaling = config["text_config"]["rope_scaling"];
  scaling.erase("rope_type");
  scaling["type"] = "yarn";
  EXPECT_TRUE(parse(config).has_yarn);
  scaling = {{"rope_type", "default"}};
  EXPECT_FALSE(parse(config).has_yarn);
}

TEST(Config, rope_parameters_win_over_the_flat_fields_if_both_parts_are_there) {
  json config = testing::t41_config();
  config["text_config"]["rope_parameters"] = {
      {"main", {{"rope_type", "default"}, {"rope_theta", 5000}}},
      {"compress",
       {{"rope_type", "yarn"},
        {"rope_theta", 70000},
        {"factor", 8},
        {"original_max_position_embeddings", 128}}}};
  ModelConfig parsed = parse(config);
  EXPECT_EQ(parsed.rope_theta, 5000);
  EXPECT_EQ(parsed.compress_rope_theta, 70000);
  EXPECT_EQ(parsed.yarn.factor, 8);
  EXPECT_EQ(parsed.yarn.beta_fast, 32);
  EXPECT_EQ(parsed.yarn.original_max_position_embeddings, 128);

  config["text_config"]["rope_parameters"].erase("compress");
  parsed = parse(config);
  EXPECT_EQ(parsed.rope_theta, 10000);
  EXPECT_EQ(parsed.compress_rope_theta, 160000);
}

TEST(Config, the_engram_pad_goes_by_two_names) {
  json config = testing::t41_config();
  config["text_config"].erase("engram_pad_token_id");
  config["text_config"]["engram_pad_id"] = 5;
  EXPECT_EQ(parse(config).engram.pad_token_id, 5);
}

TEST(Config, unusual_values_of_ignored_parts_are_no_fault) {
  json config = testing::t41_config();
  config["text_config"]["dspark_n_routed_experts"] = "many";
  config["text_config"]["dspark_markov_rank"] = -4;
  config["vision_config"] = {{"num_hidden_layers", 1.5}};
  const ModelConfig parsed = parse(config);
  EXPECT_EQ(parsed.dspark_n_routed_experts, 0);
  EXPECT_EQ(parsed.dspark_markov_rank, 0);
  EXPECT_EQ(parsed.vision_num_hidden_layers, 0);
}

}  // namespace
}  // namespace deepinfer
