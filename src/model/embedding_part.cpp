// Token embedding, model specification 2.1, and what all layers of the step share.

#include "model/layer_builder.h"
#include "model/step_inputs.h"

namespace deepinfer {

Streams LayerBuilder::embedding() {
  const GraphBuilder::Scope scope(graph_, "embedding");
  count_visible();
  const ValueId table = plain_weight("embed.weight", {config_.vocab_size, config_.hidden_size});
  const auto results = graph_.add_all(Embedding{.streams = config_.hc_mult}, {token_ids_, table},
                                      {"streams", "pre"});
  return {.x = results[0], .pre = results[1]};
}

/// Once per step and ratio, not once per layer (model specification 2.9.7).
void LayerBuilder::count_visible() {
  for (const int layer : config_.index_source_layer_ids) {
    const int ratio = config_.ratio(layer);
    if (visible_.contains(ratio)) continue;
    const ValueId visible =
        graph_.derived(step_inputs::visible(ratio), DType::i32, {options_.rows});
    graph_.add(VisibleEntries{.ratio = ratio}, {positions_, visible}, "");
    visible_.emplace(ratio, visible);
  }
}

}  // namespace deepinfer
