// Token embedding, model specification 2.1.

#include "model/layer_builder.h"

namespace deepinfer {

Streams LayerBuilder::embedding() {
  const GraphBuilder::Scope scope(graph_, "embedding");
  const ValueId table = plain_weight("embed.weight", {config_.vocab_size, config_.hidden_size});
  const auto results = graph_.add_all(Embedding{.streams = config_.hc_mult}, {token_ids_, table},
                                      {"streams", "pre"});
  return {.x = results[0], .pre = results[1]};
}

}  // namespace deepinfer
