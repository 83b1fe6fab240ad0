// Logits, model specification 2.12: the last layer's FFN `pre` collapses the streams.

#include "model/layer_builder.h"

namespace deepinfer {

void LayerBuilder::head(const Streams& streams) {
  const GraphBuilder::Scope scope(graph_, "head");
  const ValueId collapsed = hc_collapse(streams.x, streams.pre, "h");
  const ValueId h = rms_norm("norm.weight", collapsed, "h_norm");
  const ValueId weight = plain_weight("head.weight", {config_.vocab_size, config_.hidden_size});
  graph_.output("logits",
                graph_.add(LmHead{.input = rounding()}, {h, weight, wants_logits_}, "logits"));
}

}  // namespace deepinfer
