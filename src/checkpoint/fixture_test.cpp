#include "checkpoint/fixture_test.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "deepinfer/error.h"

namespace deepinfer::testing {
namespace {

using nlohmann::json;

}  // namespace

std::string Shard::bytes() const {
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + text + data;
}

void Shard::append(const std::string& name, const std::string& dtype,
                   const std::vector<std::int64_t>& shape, const std::string& content) {
  header[name] = {{"dtype", dtype},
                  {"shape", shape},
                  {"data_offsets", {data.size(), data.size() + content.size()}}};
  data += content;
}

TempCheckpoint::TempCheckpoint(const std::string& source) {
  std::string pattern = (std::filesystem::temp_directory_path() / "checkpoint_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = pattern;
  if (!source.empty()) std::filesystem::copy(source, directory_);
}

TempCheckpoint::~TempCheckpoint() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

json TempCheckpoint::json_file(const std::string& file) const {
  return json::parse(read_file(path(file)));
}

void TempCheckpoint::write(const std::string& file, const std::string& content) const {
  std::ofstream stream(path(file), std::ios::binary | std::ios::trunc);
  stream << content;
  if (!stream.flush()) throw std::runtime_error("cannot write " + path(file));
}

void TempCheckpoint::write_json(const std::string& file, const json& value) const {
  write(file, value.dump());
}

void TempCheckpoint::resize(const std::string& file, std::uint64_t size) const {
  std::filesystem::resize_file(path(file), size);
}

std::uint64_t TempCheckpoint::size(const std::string& file) const {
  return std::filesystem::file_size(path(file));
}

Shard TempCheckpoint::shard(const std::string& file) const {
  const std::string bytes = read_file(path(file));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return {json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

void TempCheckpoint::write_shard(const std::string& file, const Shard& shard) const {
  write(file, shard.bytes());
}

std::string TempCheckpoint::shard_of(const std::string& tensor) const {
  return json_file(kIndexFile).at("weight_map").at(tensor).get<std::string>();
}

void TempCheckpoint::remove_from_index(const std::string& tensor) const {
  json index = json_file(kIndexFile);
  index["weight_map"].erase(tensor);
  write_json(kIndexFile, index);
}

void TempCheckpoint::add_to_index(const std::string& tensor, const std::string& file) const {
  json index = json_file(kIndexFile);
  index["weight_map"][tensor] = file;
  write_json(kIndexFile, index);
}

void TempCheckpoint::remove_from_shard(const std::string& tensor) const {
  const std::string file = shard_of(tensor);
  Shard shard = this->shard(file);
  const auto begin = shard.header[tensor]["data_offsets"][0].get<std::uint64_t>();
  const auto end = shard.header[tensor]["data_offsets"][1].get<std::uint64_t>();
  shard.header.erase(tensor);
  shard.data.erase(begin, end - begin);
  for (auto& [name, entry] : shard.header.items()) {
    if (name == "__metadata__") continue;
    for (auto& offset : entry["data_offsets"]) {
      if (offset.get<std::uint64_t>() >= end) offset = offset.get<std::uint64_t>() - (end - begin);
    }
  }
  write_shard(file, shard);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

json t41_config() { return json::parse(read_file(std::string(kT41) + "/config.json")); }

std::string released_config_text() {
  return R"({
  "architectures": ["DeepseekV41ForCausalLM"],
  "model_type": "deepseek_v41", "dtype": "bfloat16", "transformers_version": "5.6.0",
  "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "image_token_id": 129264,
  "tie_word_embeddings": false,
  "quantization_config": {
    "quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [32, 32],
    "scale_fmt": "ue8m0", "expert_dtype": "fp4"
  },
  "text_config": {
    "model_type": "deepseek_v41_text",
    "vocab_size": 129280, "hidden_size": 5120, "moe_intermediate_size": 2304,
    "num_hidden_layers": 40, "num_attention_heads": 64, "num_key_value_heads": 1,
    "head_dim": 512, "qk_rope_head_dim": 64, "q_lora_rank": 1280, "o_lora_rank": 1024,
    "o_groups": 8, "hidden_act": "silu", "swiglu_limit": 10.0, "rms_norm_eps": 1e-20,
    "attention_bias": false, "attention_dropout": 0.0, "initializer_range": 0.02,
    "use_cache": true, "tie_word_embeddings": false, "max_position_embeddings": 1048576,
    "rope_theta": 10000, "compress_rope_theta": 160000,
    "rope_scaling": {"rope_type": "yarn", "factor": 16, "beta_fast": 32, "beta_slow": 1,
                     "original_max_position_embeddings": 65536},
    "n_routed_experts": 384, "n_shared_experts": 1, "num_experts_per_tok": 6,
    "scoring_func": "sqrtsoftplus", "topk_method": "noaux_tc", "norm_topk_prob": true,
    "routed_scaling_factor": 1.5, "sliding_window": 128,
    "compress_ratios": [0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    "kv_source_layer_ids": [2, 8, 14, 20],
    "index_source_layer_ids": [2, 8, 14, 20, 24, 28, 32, 36],
    "index_n_heads": 32, "index_head_dim": 128, "index_topk": 512,
    "candidate_source_layer_id": 20, "candidate_topk_blocks": 2048, "candidate_block_size": 8,
    "hc_mult": 4, "hc_sinkhorn_iters": 20, "hc_eps": 1e-6,
    "engram_layer_ids": [1, 14], "engram_num_embeddings": [384006168, 384016682],
    "engram_max_ngram_size": 4, "engram_vocab_size": 16000000, "engram_n_heads": 8,
    "engram_head_dim": 256, "engram_pad_token_id": 2, "engram_compressed_vocab_size": 99092,
    "num_nextn_predict_layers": 3,
    "dspark_block_size": 5, "dspark_noise_token_id": 128799, "dspark_target_layer_ids": [37, 38, 39],
    "dspark_markov_rank": 256, "dspark_n_routed_experts": 128, "dspark_num_experts_per_tok": 3
  },
  "vision_config": {
    "model_type": "deepseek_v41_vision", "num_hidden_layers": 32, "hidden_size": 1024,
    "num_attention_heads": 16, "intermediate_size": 2816, "patch_size": 14, "rope_theta": 10000,
    "downsample_ratio": 3, "max_image_tokens": 1024, "min_pixels": 295936, "max_wh_ratio": null
  }
})";
}

}  // namespace deepinfer::testing
