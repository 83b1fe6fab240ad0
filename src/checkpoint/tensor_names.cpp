#include "checkpoint/tensor_names.h"

#include <algorithm>
#include <array>

namespace deepinfer {
namespace {

constexpr std::array kBf16{DType::bf16};
constexpr std::array kF32{DType::f32};
constexpr std::array kE4m3{DType::f8_e4m3};
// Some repackers store raw bytes as U8 (model specification 4.1).
constexpr std::array kE8m0{DType::f8_e8m0, DType::u8};
constexpr std::array kPackedFp4{DType::i8, DType::u8};
constexpr std::array kAnyFloat{DType::bf16, DType::f16, DType::f32};

constexpr std::int64_t kBlock = 32;  // rows x columns (FP8) or columns (FP4) under one scale

std::int64_t blocks(std::int64_t extent) { return (extent + kBlock - 1) / kBlock; }

class Generator {
 public:
  explicit Generator(const ModelConfig& config) : config_(config) {}

  std::vector<ExpectedTensor> all() {
    bf16("embed.weight", {config_.vocab_size, width()});
    bf16("head.weight", {config_.vocab_size, width()});
    bf16("norm.weight", {width()});
    for (int layer = 0; layer < config_.num_hidden_layers; ++layer) {
      const std::string prefix = "layers." + std::to_string(layer) + ".";
      hyper_connections(prefix);
      attention(prefix + "attn.", layer);
      feed_forward(prefix + "ffn.");
      if (const int index = config_.engram_index(layer); index >= 0) {
        engram(prefix + "engram.", static_cast<std::size_t>(index));
      }
    }
    std::sort(tensors_.begin(), tensors_.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return std::move(tensors_);
  }

 private:
  using Shape = std::vector<std::int64_t>;

  std::int64_t width() const { return config_.hidden_size; }

  void add(std::string name, std::span<const DType> dtypes, Shape shape) {
    const std::span<const DType> accepted =
        config_.quantized ? dtypes : std::span<const DType>(kAnyFloat);
    tensors_.push_back({std::move(name), accepted, std::move(shape), true});
  }
  void bf16(std::string name, Shape shape) { add(std::move(name), kBf16, std::move(shape)); }
  void f32(std::string name, Shape shape) { add(std::move(name), kF32, std::move(shape)); }

  void fp8(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", kE4m3, {out, in});
    if (config_.quantized) add(name + ".scale", kE8m0, {blocks(out), blocks(in)});
  }

  void fp4(const std::string& name, std::int64_t out, std::int64_t in) {
    if (!config_.quantized) return add(name + ".weight", kAnyFloat, {out, in});
    add(name + ".weight", kPackedFp4, {out, in / 2});
    add(name + ".scale", kE8m0, {out, in / kBlock});
  }

  void hyper_connections(const std::string& layer) {
    const std::int64_t streams = config_.hc_mult;
    const std::int64_t mixes = (2 + streams) * streams;
    for (const char* site : {"attn", "ffn"}) {
      const std::string name = site;
      bf16(layer + name + "_norm.weight", {width()});
      f32(layer + "hc_" + name + "_fn", {mixes, streams * width()});
      f32(layer + "hc_" + name + "_base", {mixes});
      f32(layer + "hc_" + name + "_scale", {3});
    }
  }

  void attention(const std::string& attn, int layer) {
    const std::int64_t heads = config_.num_attention_heads;
    const std::int64_t head_dim = config_.head_dim;
    const std::int64_t low_rank_out = std::int64_t{config_.o_groups} * config_.o_lora_rank;
    f32(attn + "attn_sink", {heads});
    bf16(attn + "q_norm.weight", {config_.q_lora_rank});
    bf16(attn + "kv_norm.weight", {head_dim});
    fp8(attn + "wq_a", config_.q_lora_rank, width());
    fp8(attn + "wq_b", heads * head_dim, config_.q_lora_rank);
    fp8(attn + "wkv", head_dim, width());
    fp8(attn + "wo_a", low_rank_out, heads * head_dim / config_.o_groups);
    fp8(attn + "wo_b", width(), low_rank_out);
    if (config_.is_kv_source(layer)) {
      bf16(attn + "compressor.wkv.weight", {head_dim, width()});
      bf16(attn + "compressor.norm.weight", {head_dim});
      if (config_.ratio(layer) > 1) bf16(attn + "compressor.wgate.weight", {head_dim, width()});
      bf16(attn + "indexer.wk.weight", {config_.index_head_dim, head_dim});
      bf16(attn + "indexer.k_norm.weight", {config_.index_head_dim});
    }
    if (config_.is_index_source(layer)) {
      fp8(attn + "indexer.wq_b", std::int64_t{config_.index_n_heads} * config_.index_head_dim,
          config_.q_lora_rank);
      bf16(attn + "indexer.weights_proj.weight", {config_.index_n_heads, width()});
    }
  }

  void feed_forward(const std::string& ffn) {
    const std::int64_t inner = config_.moe_intermediate_size;
    bf16(ffn + "gate.weight", {config_.n_routed_experts, width()});
    f32(ffn + "gate.bias", {config_.n_routed_experts});
    if (config_.has_vision) {
      f32(ffn + "gate.bias_vl", {config_.n_routed_experts});
      tensors_.back().required = false;  // routes image positions only
    }
    for (int expert = 0; expert < config_.n_routed_experts; ++expert) {
      const std::string prefix = ffn + "experts." + std::to_string(expert) + ".";
      fp4(prefix + "w1", inner, width());
      fp4(prefix + "w2", width(), inner);
      fp4(prefix + "w3", inner, width());
    }
    fp8(ffn + "shared_experts.w1", inner, width());
    fp8(ffn + "shared_experts.w2", width(), inner);
    fp8(ffn + "shared_experts.w3", inner, width());
  }

  void engram(const std::string& prefix, std::size_t index) {
    const EngramConfig& engram = config_.engram;
    const std::int64_t rows = engram.num_embeddings[index];
    add(prefix + "embed.weight", kE4m3, {rows, engram.head_dim});
    // Scales are per row here, not per 32x32 tile (model specification 3.6).
    if (config_.quantized) add(prefix + "embed.scale", kE8m0, {rows, blocks(engram.head_dim)});
    fp8(prefix + "wkv", (std::int64_t{config_.hc_mult} + 1) * width(),
        std::int64_t{engram.columns()} * engram.head_dim);
    bf16(prefix + "q_weight", {config_.hc_mult, width()});
    bf16(prefix + "k_weight", {config_.hc_mult, width()});
  }

  const ModelConfig& config_;
  std::vector<ExpectedTensor> tensors_;
};

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config) {
  return Generator(config).all();
}

bool is_ignored_tensor(std::string_view name) {
  for (const std::string_view group : {"mtp.", "vision.", "aligner."}) {
    if (name.starts_with(group)) return true;
  }
  for (const std::string_view single : {"image_start", "image_end", "image_newline"}) {
    if (name == single) return true;
  }
  return name.starts_with("layers.") && name.ends_with(".ffn.gate.bias_vl");
}

}  // namespace deepinfer
