#pragma once

// The rules of model specification 1.6 that relate fields to one another. Pure functions over a
// config whose single fields are already in range; each throws Error (bad_input) with the
// specification's wording at the first violation, in the order of that table.

#include <string_view>

#include "deepinfer/model_config.h"

namespace deepinfer {

void check_config_rules(const ModelConfig& config, std::string_view where);

// Its parts, apart so that each can be tested: some rules of the table follow from others and
// cannot be reached through a whole config.
void check_special_tokens(const ModelConfig& config, std::string_view where);
void check_width_rules(const ModelConfig& config, std::string_view where);
void check_source_lists(const ModelConfig& config, std::string_view where);
void check_layer_sources(const ModelConfig& config, std::string_view where);
void check_candidate_rules(const ModelConfig& config, std::string_view where);
void check_engram_rows(const ModelConfig& config, std::string_view where);
void check_block_divisibility(const ModelConfig& config, std::string_view where);

}  // namespace deepinfer
