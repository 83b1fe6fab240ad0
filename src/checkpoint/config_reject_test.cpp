// One case for each row of the table of rejected values (model specification 1.6), with its
// wording.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checkpoint/fixture_test.h"
#include "deepinfer/model_config.h"

namespace deepinfer {
namespace {

using nlohmann::json;

struct Rejection {
  const char* pointer;  ///< of the field to change in the config of t41
  const char* value;    ///< JSON text, or "absent"
  const char* message;  ///< behind "deepseek_v41 config: "
};

std::string message_for(const std::vector<Rejection>& changes) {
  json config = json::parse(testing::read_file("tests/data/t41/config.json"));
  for (const Rejection& change : changes) {
    const json::json_pointer pointer(change.pointer);
    if (std::string_view(change.value) == "absent") {
      config[pointer.parent_pointer()].erase(pointer.back());
    } else {
      config[pointer] = json::parse(change.value);
    }
  }
  return testing::error_of([&] { parse_config(config.dump(), "dir/config.json"); });
}

class RejectedConfig : public ::testing::TestWithParam<Rejection> {};

TEST_P(RejectedConfig, F10_has_the_message_of_its_row) {
  EXPECT_EQ(message_for({GetParam()}),
            "[dir/config.json] deepseek_v41 config: " + std::string(GetParam().message));
}

const Rejection kRows[] = {
    {"/model_type", R"("deepseek_v4")",
     "unsupported model_type 'deepseek_v4', expected deepseek_v41"},
    {"/model_type", "absent",
     "unsupported model_type '', expected deepseek_v41, got no field model_type"},
    {"/model_type", "7", "unsupported model_type '7', expected deepseek_v41"},
    {"/text_config/model_type", R"("deepseek_v3")",
     "unsupported model_type 'deepseek_v3', expected deepseek_v41_text"},
    {"/text_config", "absent", "missing field text_config"},
    {"/text_config", "[1]", "text_config must be an object, got [1]"},
    {"/text_config/swiglu_limit", "absent", "missing field text_config.swiglu_limit"},
    {"/text_config/routed_scaling_factor", "absent",
     "missing field text_config.routed_scaling_factor"},
    {"/text_config/compress_rope_theta", "absent", "missing field text_config.compress_rope_theta"},
    {"/text_config/compress_ratios", "absent", "missing field text_config.compress_ratios"},
    {"/text_config/kv_source_layer_ids", "absent", "missing field text_config.kv_source_layer_ids"},
    {"/text_config/index_source_layer_ids", "absent",
     "missing field text_config.index_source_layer_ids"},
    {"/text_config/candidate_topk_blocks", "absent",
     "missing field text_config.candidate_topk_blocks"},
    {"/text_config/engram_num_embeddings", "absent",
     "missing field text_config.engram_num_embeddings"},
    {"/text_config/engram_vocab_size", "absent", "missing field text_config.engram_vocab_size"},
    {"/text_config/rope_scaling/factor", "absent", "missing field text_config.rope_scaling.factor"},
    {"/text_config/num_key_value_heads", "4", "num_key_value_heads must be 1, got 4"},
    {"/text_config/attention_bias", "true", "attention_bias is not supported"},
    {"/text_config/hidden_act", R"("gelu")", "hidden_act must be 'silu', got 'gelu'"},
    {"/text_config/n_shared_experts", "2", "n_shared_experts must be 1, got 2"},
    {"/text_config/scoring_func", R"("tanh")", "unknown scoring_func 'tanh'"},
    {"/text_config/topk_method", R"("greedy")", "topk_method must be 'noaux_tc', got 'greedy'"},
    {"/bos_token_id", "9999", "bos_token_id 9999 is not below vocab_size 640"},
    {"/eos_token_id", "[1, 640]", "eos_token_id 640 is not below vocab_size 640"},
    {"/text_config/num_experts_per_tok", "17", "num_experts_per_tok exceeds n_routed_experts"},
    {"/text_config/qk_rope_head_dim", "15",
     "qk_rope_head_dim 15 must be even and fit head_dim and index_head_dim"},
    {"/text_config/qk_rope_head_dim", "66",
     "qk_rope_head_dim 66 must be even and fit head_dim and index_head_dim"},
    {"/text_config/qk_rope_head_dim", "34",
     "qk_rope_head_dim 34 must be even and fit head_dim and index_head_dim"},
    {"/text_config/o_groups", "3", "num_attention_heads must be divisible by o_groups"},
    {"/text_config/compress_ratios", "[0,0,2]", "compress_ratios has 3 entries, expected 10 to 10"},
    {"/text_config/compress_ratios", "[0,0,2,2,2,2,1,1,1,1,0]",
     "compress_ratios has 11 entries, expected 10 to 10"},
    {"/text_config/compress_ratios/3", "4", "layer 3: compress_ratio 4 not supported (0, 1, 2)"},
    {"/text_config/compress_ratios/3", "-1", "layer 3: compress_ratio -1 not supported (0, 1, 2)"},
    {"/text_config/compress_ratios/3", "1.0",
     "layer 3: compress_ratio 1.0 not supported (0, 1, 2)"},
    {"/text_config/compress_ratios/3", "9223372036854775808",
     "layer 3: compress_ratio 9223372036854775808 not supported (0, 1, 2)"},
    {"/text_config/compress_ratios", "2",
     "text_config.compress_ratios must be a list of integers, got 2"},
    {"/text_config/kv_source_layer_ids", "[2,6,5]",
     "kv_source_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/kv_source_layer_ids", "[2,5,10]",
     "kv_source_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/kv_source_layer_ids", R"([2,"5"])",
     "kv_source_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/index_source_layer_ids", "[2,4,4,5,6]",
     "index_source_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/index_source_layer_ids", "[-1,2]",
     "index_source_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/engram_layer_ids", "[5,1]",
     "engram_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/engram_layer_ids", "[1,18446744073709551615]",
     "engram_layer_ids must be strictly increasing layer ids below 10"},
    {"/text_config/kv_source_layer_ids", "[1,2,5,6]", "source layer 1 has compress_ratio 0"},
    {"/text_config/index_source_layer_ids", "[0,2,4,5,6,8]", "source layer 0 has compress_ratio 0"},
    {"/text_config/index_source_layer_ids", "[2,4,6,8]",
     "kv source layer 5 must also be an index source"},
    {"/text_config/kv_source_layer_ids", "[5,6]", "layer 2 reads compressed KV before any source"},
    {"/text_config/compress_ratios", "[0,0,2,2,2,2,1,2,1,1]",
     "layer 7: ratio 2 differs from source layer 6 ratio 1"},
    {"/text_config/candidate_source_layer_id", "7",
     "candidate_source_layer_id 7 is not an index source"},
    {"/text_config/candidate_source_layer_id", "500",
     "candidate_source_layer_id 500 is not an index source"},
    {"/text_config/candidate_source_layer_id", "4", "kv source 5 after candidate source 4"},
    {"/text_config/candidate_topk_blocks", "0",
     "candidate selection needs positive block count and block size"},
    {"/text_config/candidate_block_size", "-8",
     "candidate selection needs positive block count and block size"},
    {"/text_config/engram_num_embeddings", "[660]",
     "engram_num_embeddings must have one entry per engram layer"},
    {"/text_config/engram_num_embeddings", "[660,865]",
     "engram layer 5: derived 864 rows, config says 865"},
    {"/text_config/rope_scaling/rope_type", R"("linear")", "rope type 'linear' not supported"},
    {"/quantization_config/weight_block_size", "[128,128]",
     "weight_block_size must be [32, 32], got [128,128]"},
    {"/quantization_config/scale_fmt", R"("float")",
     "quantization_config.scale_fmt must be 'ue8m0', got 'float'"},
    {"/quantization_config/quant_method", R"("gptq")",
     "quantization_config.quant_method must be 'fp8', got 'gptq'"},
    {"/quantization_config/expert_dtype", R"("fp8")",
     "quantization_config.expert_dtype must be 'fp4', got 'fp8'"},
    {"/quantization_config/expert_dtype", "absent",
     "missing field quantization_config.expert_dtype"},
    {"/text_config/head_dim", "80", "head_dim must be divisible by 32 (cache quantisation blocks)"},
    {"/text_config/index_head_dim", "40",
     "index_head_dim must be divisible by 32 (cache quantisation blocks)"},
    {"/text_config/hidden_size", "100", "hidden_size must be divisible by 32"},
    {"/text_config/q_lora_rank", "60", "q_lora_rank must be divisible by 32"},
    {"/text_config/moe_intermediate_size", "65", "moe_intermediate_size must be divisible by 32"},
    {"/text_config/o_lora_rank", "40", "o_groups*o_lora_rank must be divisible by 32"},
    {"/text_config/engram_head_dim", "65",
     "(engram_max_ngram_size-1)*engram_n_heads*engram_head_dim must be divisible by 32"},
    {"/text_config/engram_head_dim", "16", "engram_head_dim must be divisible by 32"},
};
INSTANTIATE_TEST_SUITE_P(Table, RejectedConfig, ::testing::ValuesIn(kRows));

const Rejection kOthers[] = {
    {"/architectures", R"(["LlamaForCausalLM"])",
     R"(architectures must contain 'DeepseekV41ForCausalLM', got ["LlamaForCausalLM"])"},
    {"/tie_word_embeddings", "true", "tie_word_embeddings is not supported"},
    {"/text_config/tie_word_embeddings", "true", "tie_word_embeddings is not supported"},
    {"/text_config/attention_bias", "1", "text_config.attention_bias must be true or false, got 1"},
    {"/text_config/hidden_act", "3", "hidden_act must be 'silu', got '3'"},
    {"/text_config/rms_norm_eps", "0", "text_config.rms_norm_eps must be a number above 0, got 0"},
    {"/text_config/hc_eps", "-1", "text_config.hc_eps must be a number of at least 0, got -1"},
    {"/text_config/rope_theta", "1", "text_config.rope_theta must be a number above 1, got 1"},
    {"/text_config/swiglu_limit", "1e39",
     "text_config.swiglu_limit must be a finite number, got 1e+39"},
    {"/text_config/swiglu_limit", "null",
     "text_config.swiglu_limit must be a finite number, got null"},
    {"/eos_token_id", "[]", "eos_token_id must be a token id or a list of 1 to 64, got []"},
    {"/eos_token_id", R"([1,"x"])", "eos_token_id must be a token id, got x"},
    {"/bos_token_id", "-1", "bos_token_id must be a token id, got -1"},
    {"/text_config/engram_pad_token_id", "640",
     "text_config.engram_pad_token_id 640 is not below vocab_size 640"},
    {"/text_config/engram_max_ngram_size", "1",
     "text_config.engram_max_ngram_size must be at least 2, got 1"},
    {"/vision_config", "3", "vision_config must be an object, got 3"},
    {"/quantization_config", R"("fp8")", "quantization_config must be an object, got fp8"},
    {"/quantization_config/activation_scheme", R"("static")",
     "quantization_config.activation_scheme must be 'dynamic', got 'static'"},
};
INSTANTIATE_TEST_SUITE_P(BeyondTheTable, RejectedConfig, ::testing::ValuesIn(kOthers));

TEST(RejectedConfigs, a_draft_entry_must_be_zero) {
  EXPECT_EQ(message_for({{"/text_config/num_nextn_predict_layers", "1", ""},
                         {"/text_config/compress_ratios", "[0,0,2,2,2,2,1,1,1,1,1]", ""}}),
            "[dir/config.json] deepseek_v41 config: draft layers must have compress_ratio 0");
}

TEST(RejectedConfigs, window_layers_in_the_two_part_rope_form_have_no_stretch) {
  const std::string message = message_for(
      {{"/text_config/rope_parameters",
        R"({"main":{"rope_type":"yarn","rope_theta":1e4},"compress":{"rope_theta":1e5}})", ""}});
  EXPECT_NE(message.find("rope type 'yarn' not supported"), std::string::npos) << message;
}

TEST(RejectedConfigs, F9_an_unknown_model_is_named_with_the_known_type) {
  for (const char* value : {R"("deepseek_v4")", R"("llama")", "absent", "null", "{}"}) {
    const std::string message = message_for({{"/model_type", value, ""}});
    EXPECT_NE(message.find("unsupported model_type '"), std::string::npos) << message;
    EXPECT_NE(message.find("expected deepseek_v41"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace deepinfer
