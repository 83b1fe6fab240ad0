// Engram lookup and gate, model specification 3.6. The host hashes and gathers the rows beforehand.

#include "model/layer_builder.h"
#include "model/step_inputs.h"

namespace deepinfer {

ValueId LayerBuilder::engram(int layer, ValueId streams) {
  const GraphBuilder::Scope scope(graph_, "engram");
  const EngramConfig& engram = config_.engram;
  const int columns = engram.columns();
  ValueId e = -1;
  if (config_.quantized) {
    const ValueId rows =
        graph_.metadata(step_inputs::engram_rows(layer), DType::u8,
                        {options_.rows, columns, engram.head_dim + engram.head_dim / 32});
    e = graph_.add(EngramLookup{.head_dim = engram.head_dim}, {rows}, "e");
  } else {
    e = graph_.metadata(step_inputs::engram_rows(layer), DType::f32,
                        {options_.rows, columns * engram.head_dim});
  }
  const int hc = config_.hc_mult;
  const int width = config_.hidden_size;
  const ValueId kv = quantised_linear(layer_name(layer, "engram.wkv"), e, (hc + 1) * width, "kv");
  const auto results =
      graph_.add_all(EngramGate{.eps = config_.rms_norm_eps, .rounding = rounding()},
                     {streams, kv, plain_weight(layer_name(layer, "engram.q_weight"), {hc, width}),
                      plain_weight(layer_name(layer, "engram.k_weight"), {hc, width})},
                     {"streams", "gate"});
  trace(layer, "gate", results[1]);
  return results[0];
}

}  // namespace deepinfer
