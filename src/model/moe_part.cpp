// Mixture of experts, model specification 2.10.

#include "model/layer_builder.h"

namespace deepinfer {

ValueId LayerBuilder::moe(int layer, ValueId x) {
  const GraphBuilder::Scope scope(graph_, "ffn");
  const int experts = config_.n_routed_experts;
  const int inner = config_.moe_intermediate_size;
  const int outer = config_.hidden_size;
  const auto name = [&](std::string_view rest) {
    return layer_name(layer, "ffn.") + std::string(rest);
  };

  const ValueId logits =
      plain_linear(name("gate.weight"), x, experts, Rounding::none, "router_logits");
  const auto routed = graph_.add_all(Router{.experts_per_token = config_.num_experts_per_tok,
                                            .scoring = config_.scoring_func,
                                            .temperature = config_.gate_temp,
                                            .normalise = config_.norm_topk_prob,
                                            .route_scale = config_.routed_scaling_factor},
                                     {logits, plain_weight(name("gate.bias"), {experts})},
                                     {"experts", "expert_weights"});
  trace(layer, "experts", routed[0]);
  return graph_.add(
      Moe{.swiglu_limit = config_.swiglu_limit,
          .quantise_input = official() && config_.quantized,
          .rounding = rounding()},
      {x, routed[0], routed[1], positions_, expert_bank(layer, "w1", {experts, inner, outer}),
       expert_bank(layer, "w3", {experts, inner, outer}),
       expert_bank(layer, "w2", {experts, outer, inner}),
       quantised_weight(name("shared_experts.w1"), WeightFormat::fp8, {inner, outer}),
       quantised_weight(name("shared_experts.w3"), WeightFormat::fp8, {inner, outer}),
       quantised_weight(name("shared_experts.w2"), WeightFormat::fp8, {outer, inner})},
      "y");
}

}  // namespace deepinfer
