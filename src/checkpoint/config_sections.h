#pragma once

// The parts of parse_config(), one per concern. Each fills its fields of the ModelConfig and throws
// the message of the first value it cannot accept; rules that span concerns are in config_rules.h.

#include "checkpoint/config_fields.h"
#include "deepinfer/model_config.h"

namespace deepinfer {

/// Upper limits of config numbers. They are far above the released values (in brackets) and low
/// enough that no product of extents the model forms can leave int64: the largest tensor has below
/// 2^50 bytes and there are below 2^20 of them.
namespace config_limits {
constexpr std::int64_t kWidth = std::int64_t{1} << 18;       // hidden_size [5120] and ranks
constexpr std::int64_t kHeads = std::int64_t{1} << 12;       // [64]
constexpr std::int64_t kHeadDim = std::int64_t{1} << 14;     // [512]
constexpr std::int64_t kVocab = std::int64_t{1} << 26;       // [129280]
constexpr std::int64_t kLayers = std::int64_t{1} << 10;      // [40]
constexpr std::int64_t kExperts = std::int64_t{1} << 14;     // [384]
constexpr std::int64_t kAllExperts = std::int64_t{1} << 17;  // layers * experts [15360]
constexpr std::int64_t kEntries = std::int64_t{1} << 24;     // window, top-k, block counts [2048]
constexpr std::int64_t kPositions = (std::int64_t{1} << 31) - 1;  // int32 positions [1048576]
constexpr std::int64_t kStreams = 64;                             // hc_mult [4]
constexpr std::int64_t kSinkhornRounds = 10000;                   // [20]
constexpr std::int64_t kDraftLayers = 64;                         // [3]
constexpr std::int64_t kEosIds = 64;                              // [1]
}  // namespace config_limits

void read_top_level(const ConfigFields& top, ModelConfig& config);
void read_quantization(const ConfigFields& top, ModelConfig& config);
void read_widths(const ConfigFields& text, ModelConfig& config);
void read_experts(const ConfigFields& text, ModelConfig& config);
void read_attention(const ConfigFields& text, ModelConfig& config);  ///< after read_widths
void read_rope(const ConfigFields& text, ModelConfig& config);       ///< after read_attention
void read_engram(const ConfigFields& text, ModelConfig& config);     ///< after read_widths
void read_ignored(const ConfigFields& top, const ConfigFields& text, ModelConfig& config);

/// Whether any backbone layer has a compressed branch.
bool has_compressed_layer(const ModelConfig& config);

}  // namespace deepinfer
