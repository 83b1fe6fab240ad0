#include <algorithm>
#include <nlohmann/json.hpp>

#include "checkpoint/config_sections.h"

namespace deepinfer {
namespace {

using nlohmann::json;

constexpr std::string_view kArchitecture = "DeepseekV41ForCausalLM";

void check_architectures(const ConfigFields& top) {
  const json* value = top.find("architectures");
  if (value == nullptr) return;
  const bool listed = value->is_array() &&
                      std::any_of(value->begin(), value->end(),
                                  [](const json& item) { return item == json(kArchitecture); });
  if (!listed) {
    top.fail("architectures must contain '" + std::string(kArchitecture) + "', got " +
             value_text(*value));
  }
}

int to_token_id(const ConfigFields& top, std::string_view name, const json& value) {
  if (value.is_number_integer()) {
    const auto id = value.get<std::int64_t>();  // beyond int64: negative, refused below
    if (id >= 0 && id < config_limits::kVocab) return static_cast<int>(id);
  }
  top.fail(std::string(name) + " must be a token id, got " + value_text(value));
}

int token_id_or(const ConfigFields& top, std::string_view name, int fallback) {
  const json* value = top.find(name);
  return value == nullptr ? fallback : to_token_id(top, name, *value);
}

std::vector<int> eos_ids(const ConfigFields& top) {
  const json* value = top.find("eos_token_id");
  if (value == nullptr) return {1};
  if (!value->is_array()) return {to_token_id(top, "eos_token_id", *value)};
  if (value->empty() || value->size() > config_limits::kEosIds) {
    top.fail("eos_token_id must be a token id or a list of 1 to " +
             std::to_string(config_limits::kEosIds) + ", got " + value_text(*value));
  }
  std::vector<int> ids;
  for (const json& item : *value) ids.push_back(to_token_id(top, "eos_token_id", item));
  return ids;
}

void require_word(const ConfigFields& section, std::string_view name, std::string_view word) {
  const std::string value = value_text(section.require(name));
  if (value != word) {
    section.fail("quantization_config." + std::string(name) + " must be '" + std::string(word) +
                 "', got '" + value + "'");
  }
}

/// A positive int within `max`, or 0: fields of parts the text model does not use are never
/// refused.
int lenient_int(const ConfigFields& fields, std::string_view name, std::int64_t max) {
  const json* value = fields.find(name);
  if (value == nullptr || !value->is_number_integer()) return 0;
  const auto number = value->get<std::int64_t>();
  return number > 0 && number <= max ? static_cast<int>(number) : 0;
}

}  // namespace

void read_top_level(const ConfigFields& top, ModelConfig& config) {
  check_architectures(top);
  config.bos_token_id = token_id_or(top, "bos_token_id", 0);
  config.eos_token_ids = eos_ids(top);
  config.pad_token_id = token_id_or(top, "pad_token_id", 2);
  config.image_token_id = token_id_or(top, "image_token_id", 129264);
  if (top.boolean_or("tie_word_embeddings", false)) {
    top.fail("tie_word_embeddings is not supported");
  }
}

void read_quantization(const ConfigFields& top, ModelConfig& config) {
  const json* value = top.find("quantization_config");
  config.quantized = value != nullptr;
  if (value == nullptr) return;
  const ConfigFields section(*value, "quantization_config.", top.where());
  const json& block = section.require("weight_block_size");
  if (block != json::array({32, 32})) {
    section.fail("weight_block_size must be [32, 32], got " + value_text(block));
  }
  require_word(section, "scale_fmt", "ue8m0");
  require_word(section, "quant_method", "fp8");
  require_word(section, "expert_dtype", "fp4");
  // Static activation scales would be tensors of their own, which this format does not have.
  if (section.has("activation_scheme")) require_word(section, "activation_scheme", "dynamic");
}

void read_ignored(const ConfigFields& top, const ConfigFields& text, ModelConfig& config) {
  config.dspark_n_routed_experts =
      lenient_int(text, "dspark_n_routed_experts", config_limits::kExperts);
  config.dspark_markov_rank = lenient_int(text, "dspark_markov_rank", config_limits::kWidth);
  const json* vision = top.find("vision_config");
  config.has_vision = vision != nullptr;
  if (vision == nullptr) return;
  config.vision_num_hidden_layers =
      lenient_int(ConfigFields(*vision, "vision_config.", top.where()), "num_hidden_layers",
                  config_limits::kLayers);
}

}  // namespace deepinfer
