#include "tools/slice/slice_config.h"

#include <map>
#include <nlohmann/json.hpp>

#include "checkpoint/engram_layout.h"
#include "deepinfer/tokenizer.h"
#include "engram/token_map.h"

namespace deepinfer {
namespace {

/// The released config without what only its draft head and its vision tower need.
nlohmann::ordered_json text_only(const std::string& released) {
  nlohmann::ordered_json config = nlohmann::ordered_json::parse(released);
  config["vision_config"] = nullptr;
  nlohmann::ordered_json& text = config["text_config"];
  text["num_nextn_predict_layers"] = 0;
  for (const char* name :
       {"dspark_block_size", "dspark_noise_token_id", "dspark_target_layer_ids",
        "dspark_markov_rank", "dspark_n_routed_experts", "dspark_num_experts_per_tok"})
    text.erase(name);
  return config;
}

}  // namespace

std::string slice_config(const std::string& released, const std::string& tokenizer) {
  nlohmann::ordered_json config = text_only(released);
  nlohmann::ordered_json& text = config["text_config"];
  text["num_hidden_layers"] = 5;
  text["compress_ratios"] = {0, 2, 2, 1, 1};
  text["kv_source_layer_ids"] = {1, 3};
  text["index_source_layer_ids"] = {1, 3, 4};
  text["candidate_source_layer_id"] = 3;
  text["n_routed_experts"] = 32;
  EngramConfig engram;
  engram.layer_ids = {1};
  engram.max_ngram_size = text["engram_max_ngram_size"];
  engram.n_heads = text["engram_n_heads"];
  engram.vocab_size = 20000;  // rows per column, of the released 16 million
  text["engram_layer_ids"] = engram.layer_ids;
  text["engram_vocab_size"] = engram.vocab_size;
  text["engram_num_embeddings"] = {engram_layouts(engram).front().rows()};
  text["engram_compressed_vocab_size"] =
      build_token_map(*Tokenizer::parse(tokenizer, "tokenizer.json"), text["vocab_size"]).size;
  return config.dump(2) + "\n";
}

std::string small_slice_config(const std::string& released) {
  nlohmann::ordered_json config = text_only(released);
  nlohmann::ordered_json& text = config["text_config"];
  text["num_hidden_layers"] = 3;
  text["compress_ratios"] = {0, 2, 1};
  text["kv_source_layer_ids"] = {1, 2};
  text["index_source_layer_ids"] = {1, 2};
  text["candidate_source_layer_id"] = 2;
  text["engram_layer_ids"] = nlohmann::json::array();
  text["engram_num_embeddings"] = nlohmann::json::array();
  text["n_routed_experts"] = 24;
  text["vocab_size"] = 16384;
  config["image_token_id"] = 16000;
  return config.dump(2) + "\n";
}

std::string whole_vocabulary(const std::string& tokenizer, const std::string& config) {
  const int ids = nlohmann::json::parse(config)["text_config"]["vocab_size"];
  const auto known = Tokenizer::parse(tokenizer, "tokenizer.json");
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(tokenizer);
  // The byte alphabet's spelling of a blank, then the word.
  auto vocabulary = json["model"]["vocab"].get<std::map<std::string, int>>();
  for (int id = 0; id < ids; ++id)
    if (id >= known->vocab_size() || !known->piece(id))
      vocabulary["\u0120w" + std::to_string(id)] = id;
  json["model"]["vocab"] = vocabulary;
  return json.dump() + "\n";
}

}  // namespace deepinfer
