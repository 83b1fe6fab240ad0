#include "model/step_graph.h"

#include <fmt/format.h>

#include "model/layer_builder.h"

namespace deepinfer {
namespace {

/// One layer, model specification 2.2. The `pre` of a site is consumed by the next site.
Streams build_layer(LayerBuilder& builder, int layer, Streams streams, Selection& selection) {
  const GraphBuilder::Scope scope(builder.graph(), fmt::format("layers.{}", layer));
  if (builder.config().engram_index(layer) >= 0) streams.x = builder.engram(layer, streams.x);

  const LayerBuilder::Mix attention_mix = builder.hc_mix(layer, "attn", streams.x);
  const ValueId u = builder.hc_collapse(streams.x, streams.pre, "u");
  const ValueId attention =
      builder.attention(layer, builder.layer_norm(layer, "attn", u), selection);
  builder.trace(layer, "attn_out", attention);
  streams.x = builder.hc_expand("attn", attention, streams.x, attention_mix);

  const LayerBuilder::Mix ffn_mix = builder.hc_mix(layer, "ffn", streams.x);
  const ValueId v = builder.hc_collapse(streams.x, attention_mix.pre, "v");
  const ValueId ffn = builder.moe(layer, builder.layer_norm(layer, "ffn", v));
  builder.trace(layer, "ffn_out", ffn);
  streams.x = builder.hc_expand("ffn", ffn, streams.x, ffn_mix);
  streams.pre = ffn_mix.pre;
  builder.trace(layer, "streams", streams.x);
  builder.trace(layer, "pre", streams.pre);
  return streams;
}

}  // namespace

std::int64_t block_table_width(const CacheGeometry& geometry, std::int64_t max_context) {
  return (max_context + geometry.block_tokens - 1) / geometry.block_tokens;
}

Graph build_step_graph(const ModelConfig& config, const CacheLayout& layout,
                       const StepGraphOptions& options) {
  GraphBuilder graph(options.rows);
  LayerBuilder builder(graph, config, layout, options);
  Streams streams = builder.embedding();
  Selection selection;
  for (int layer = 0; layer < config.num_hidden_layers; ++layer)
    streams = build_layer(builder, layer, streams, selection);
  builder.head(streams);
  return graph.finish();
}

}  // namespace deepinfer
