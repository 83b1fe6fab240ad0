// Rotary embedding: the released flat fields, or the two-part `rope_parameters` form.

#include <nlohmann/json.hpp>

#include "checkpoint/config_sections.h"

namespace deepinfer {
namespace {

using nlohmann::json;

std::string rope_type(const ConfigFields& scaling) {
  // `type` is an older spelling of the same field.
  const char* name = !scaling.has("rope_type") && scaling.has("type") ? "type" : "rope_type";
  return value_text(scaling.require(name));
}

/// Reads the stretch of compressed layers from an object with a rope type.
void read_scaling(const ConfigFields& scaling, ModelConfig& config) {
  const std::string type = rope_type(scaling);
  if (type != "yarn" && type != "default") {
    scaling.fail("rope type '" + type + "' not supported");
  }
  config.has_yarn = type == "yarn";
  if (!config.has_yarn) return;
  config.yarn.factor = scaling.number("factor", NumberRange::positive);
  config.yarn.beta_fast = scaling.number_or("beta_fast", 32, NumberRange::positive);
  config.yarn.beta_slow = scaling.number_or("beta_slow", 1, NumberRange::positive);
  config.yarn.original_max_position_embeddings =
      scaling.positive("original_max_position_embeddings", config_limits::kPositions);
}

void read_two_part_form(const ConfigFields& main, const ConfigFields& compress,
                        ModelConfig& config) {
  if (main.has("rope_type") || main.has("type")) {
    const std::string type = rope_type(main);
    // Window-only layers have no stretch (model specification 2.8).
    if (type != "default") {
      main.fail("rope type '" + type + "' not supported",
                {"'default' in rope_parameters.main", "", ""});
    }
  }
  config.rope_theta = main.number_or("rope_theta", 10000, NumberRange::above_one);
  if (has_compressed_layer(config)) {
    config.compress_rope_theta = compress.number("rope_theta", NumberRange::above_one);
  }
  if (compress.has("rope_type") || compress.has("type")) read_scaling(compress, config);
}

void read_flat_form(const ConfigFields& text, ModelConfig& config) {
  config.rope_theta = text.number_or("rope_theta", 10000, NumberRange::above_one);
  if (has_compressed_layer(config)) {
    config.compress_rope_theta = text.number("compress_rope_theta", NumberRange::above_one);
  }
  if (const json* scaling = text.find("rope_scaling")) {
    read_scaling(ConfigFields(*scaling, "text_config.rope_scaling.", text.where()), config);
  }
}

}  // namespace

void read_rope(const ConfigFields& text, ModelConfig& config) {
  if (const json* parameters = text.find("rope_parameters")) {
    const ConfigFields both(*parameters, "text_config.rope_parameters.", text.where());
    const json* main = both.find("main");
    const json* compress = both.find("compress");
    if (main != nullptr && compress != nullptr) {
      read_two_part_form(
          ConfigFields(*main, "text_config.rope_parameters.main.", text.where()),
          ConfigFields(*compress, "text_config.rope_parameters.compress.", text.where()), config);
      return;
    }
  }
  read_flat_form(text, config);
}

}  // namespace deepinfer
