// Attention structure of text_config: ratios, source layers, indexer, candidate blocks.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoint/config_sections.h"

namespace deepinfer {
namespace {

using nlohmann::json;
namespace limits = config_limits;

/// The ratios of the backbone layers; entries of draft layers are checked and dropped.
std::vector<int> backbone_ratios(const ConfigFields& text, const ModelConfig& config) {
  const json& list = text.require("compress_ratios");
  if (!list.is_array()) {
    text.fail("text_config.compress_ratios must be a list of integers, got " + value_text(list));
  }
  const auto layers = static_cast<std::size_t>(config.num_hidden_layers);
  const std::size_t most = layers + static_cast<std::size_t>(config.num_nextn_predict_layers);
  if (list.size() < layers || list.size() > most) {
    text.fail("compress_ratios has " + std::to_string(list.size()) + " entries, expected " +
              std::to_string(layers) + " to " + std::to_string(most));
  }
  std::vector<int> ratios;
  for (std::size_t layer = 0; layer < list.size(); ++layer) {
    const json& item = list[layer];
    const bool known = item.is_number_integer() && item >= json(0) && item <= json(2);
    if (!known) {
      text.fail("layer " + std::to_string(layer) + ": compress_ratio " + value_text(item) +
                " not supported (0, 1, 2)");
    }
    if (layer < layers) {
      ratios.push_back(item.get<int>());
    } else if (item != json(0)) {
      text.fail("draft layers must have compress_ratio 0");
    }
  }
  return ratios;
}

void read_indexer(const ConfigFields& text, ModelConfig& config, bool required) {
  const auto read = [&](std::string_view name, std::int64_t max) {
    return static_cast<int>(required ? text.positive(name, max) : text.positive_or(name, 0, max));
  };
  config.index_n_heads = read("index_n_heads", limits::kHeads);
  config.index_head_dim = read("index_head_dim", limits::kHeadDim);
  config.index_topk = read("index_topk", limits::kEntries);
}

std::vector<int> source_layers(const ConfigFields& text, std::string_view name, int layers,
                               bool required) {
  if (!required && !text.has(name)) return {};
  return text.layer_ids(name, layers);
}

void read_candidates(const ConfigFields& text, ModelConfig& config) {
  config.candidate_source_layer_id =
      static_cast<int>(text.integer_or("candidate_source_layer_id", -1, limits::kEntries));
  if (config.candidate_source_layer_id < 0) {
    config.candidate_source_layer_id = -1;
    return;
  }
  const auto size = [&](std::string_view name) {
    text.require(name);
    const std::int64_t value = text.integer_or(name, 0, limits::kEntries);
    if (value < 1) text.fail("candidate selection needs positive block count and block size");
    return static_cast<int>(value);
  };
  config.candidate_topk_blocks = size("candidate_topk_blocks");
  config.candidate_block_size = size("candidate_block_size");
}

}  // namespace

bool has_compressed_layer(const ModelConfig& config) {
  return std::any_of(config.compress_ratios.begin(), config.compress_ratios.end(),
                     [](int ratio) { return ratio > 0; });
}

void read_attention(const ConfigFields& text, ModelConfig& config) {
  config.sliding_window = static_cast<int>(text.positive("sliding_window", limits::kEntries));
  config.compress_ratios = backbone_ratios(text, config);
  const bool compressed = has_compressed_layer(config);
  const int layers = config.num_hidden_layers;
  config.kv_source_layer_ids = source_layers(text, "kv_source_layer_ids", layers, compressed);
  config.index_source_layer_ids = source_layers(text, "index_source_layer_ids", layers, compressed);
  read_indexer(text, config, compressed);
  read_candidates(text, config);
}

}  // namespace deepinfer
