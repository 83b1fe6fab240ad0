#include "model/layer_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "deepinfer/error.h"
#include "model/rope_frequencies.h"
#include "model/step_inputs.h"

namespace deepinfer {

LayerBuilder::LayerBuilder(GraphBuilder& graph, const ModelConfig& config,
                           const CacheLayout& layout, const StepGraphOptions& options)
    : graph_(graph),
      config_(config),
      layout_(layout),
      options_(options),
      main_frequencies_(
          std::make_shared<const std::vector<float>>(rope_frequencies(config, false))),
      compressed_frequencies_(
          std::make_shared<const std::vector<float>>(rope_frequencies(config, true))),
      token_ids_(graph.metadata(step_inputs::kTokenIds, DType::i32, {options.rows})),
      positions_(graph.metadata(step_inputs::kPositions, DType::i32, {options.rows})),
      slots_(graph.metadata(step_inputs::kSlots, DType::i32, {options.rows})),
      prev_rows_(graph.metadata(step_inputs::kPrevRows, DType::i32, {options.rows})),
      wants_logits_(graph.metadata(step_inputs::kWantsLogits, DType::i32, {options.rows})),
      block_table_(graph.metadata(
          step_inputs::kBlockTable, DType::i32,
          {layout.geometry().slots, block_table_width(layout.geometry(), options.max_context)})) {
  for (const CacheRoot root : layout.roots())
    roots_[static_cast<std::size_t>(root)] =
        graph.root(step_inputs::root_name(root), layout.root_bytes(root));
}

std::string LayerBuilder::layer_name(int layer, std::string_view rest) const {
  return fmt::format("layers.{}.{}", layer, rest);
}

bool LayerBuilder::official() const { return options_.numerics == Numerics::official; }

Rounding LayerBuilder::rounding() const { return official() ? Rounding::bf16 : Rounding::none; }

int LayerBuilder::max_entries(int ratio) const {
  const std::int64_t positions = graph_.value(block_table_).shape[1] *
                                 static_cast<std::int64_t>(layout_.geometry().block_tokens);
  return static_cast<int>(positions / ratio);
}

void LayerBuilder::trace(int layer, std::string_view name, ValueId value) {
  if (options_.trace) graph_.output(fmt::format("layer.{}.{}", layer, name), value);
}

ValueId LayerBuilder::plain_weight(std::string_view name, const Shape& shape) {
  return graph_.weight(name, WeightFormat::plain, shape);
}

ValueId LayerBuilder::quantised_weight(std::string_view name, WeightFormat format,
                                       const Shape& shape) {
  // An unquantised checkpoint holds the same linear as one plain tensor (model specification 1.4).
  if (!config_.quantized) return plain_weight(fmt::format("{}.weight", name), shape);
  return graph_.weight(name, format, shape);
}

ValueId LayerBuilder::expert_bank(int layer, std::string_view which, const Shape& shape) {
  const std::string prefix = layer_name(layer, "ffn.experts.");
  return config_.quantized
             ? graph_.weight_bank(prefix, fmt::format(".{}", which), WeightFormat::fp4, shape)
             : graph_.weight_bank(prefix, fmt::format(".{}.weight", which), WeightFormat::plain,
                                  shape);
}

ValueId LayerBuilder::quantised_linear(std::string_view name, ValueId x, int out,
                                       std::string_view result) {
  const ValueId weight = quantised_weight(name, WeightFormat::fp8, {out, width(x)});
  return graph_.add(Linear{.quantise_input = official() && config_.quantized,
                           .input = rounding(),
                           .rounding = rounding()},
                    {x, weight}, result);
}

ValueId LayerBuilder::plain_linear(std::string_view name, ValueId x, int out, Rounding rounding,
                                   std::string_view result) {
  const ValueId weight = plain_weight(name, {out, width(x)});
  return graph_.add(
      Linear{.quantise_input = false, .input = this->rounding(), .rounding = rounding}, {x, weight},
      result);
}

ValueId LayerBuilder::rms_norm(std::string_view name, ValueId x, std::string_view result) {
  return graph_.add(RmsNorm{.eps = config_.rms_norm_eps, .rounding = rounding()},
                    {x, plain_weight(name, {width(x)})}, result);
}

ValueId LayerBuilder::layer_norm(int layer, std::string_view site, ValueId x) {
  return rms_norm(layer_name(layer, fmt::format("{}_norm.weight", site)), x,
                  fmt::format("{}_norm", site));
}

ValueId LayerBuilder::rope(int layer, ValueId x, int head_dim, int position_step, bool inverse,
                           std::string_view result) {
  return graph_.add(
      Rope{.head_dim = head_dim,
           .frequencies = config_.ratio(layer) > 0 ? compressed_frequencies_ : main_frequencies_,
           .position_step = position_step,
           .inverse = inverse,
           .rounding = rounding()},
      {x, positions_}, result);
}

ValueId LayerBuilder::view(int layer, CacheKind kind) {
  const CacheColumn* column = layout_.find(layer, kind);
  if (column == nullptr)
    throw Error::bad_input("step graph", fmt::format("layer {} has no {}", layer, name_of(kind)));
  const ValueId root = roots_[static_cast<std::size_t>(column->recipe.root)];
  return graph_.add(CacheView{.recipe = column->recipe}, {root}, name_of(kind));
}

}  // namespace deepinfer
