// Compressed KV and index keys of a KV source layer, model specification 2.9.3 and 2.9.4.

#include "model/layer_builder.h"

namespace deepinfer {

void LayerBuilder::compressor(int layer, ValueId x) {
  const GraphBuilder::Scope scope(graph_, "compressor");
  const int ratio = config_.ratio(layer);
  const int head_dim = config_.head_dim;
  const auto name = [&](std::string_view rest) {
    return layer_name(layer, "attn.") + std::string(rest);
  };

  ValueId pooled = -1;
  if (ratio == 1) {
    pooled = plain_linear(name("compressor.wkv.weight"), x, head_dim, rounding(), "pooled");
  } else {
    // Both products stay fp32; only the pooled value is rounded.
    const ValueId a = plain_linear(name("compressor.wkv.weight"), x, head_dim, Rounding::none, "a");
    const ValueId g =
        plain_linear(name("compressor.wgate.weight"), x, head_dim, Rounding::none, "g");
    pooled = graph_.add(Compress{.rounding = rounding()},
                        {a, g, view(layer, CacheKind::ca_state), slots_, positions_, prev_rows_},
                        "pooled");
  }
  const ValueId latent = rms_norm(name("compressor.norm.weight"), pooled, "latent");

  // Index keys come from the latent before its rotation; both are rotated at the group's first
  // token.
  const ValueId key = rms_norm(
      name("indexer.k_norm.weight"),
      plain_linear(name("indexer.wk.weight"), latent, config_.index_head_dim, rounding(), "key"),
      "key_norm");
  const ValueId key_rotated = rope(layer, key, config_.index_head_dim, ratio, false, "key_rope");
  graph_.add(BlockWrite{.quantiser = Quantiser::q4u, .ratio = ratio},
             {key_rotated, view(layer, CacheKind::ica_cache), block_table_, slots_, positions_},
             "");

  const ValueId latent_rotated = rope(layer, latent, head_dim, ratio, false, "latent_rope");
  graph_.add(BlockWrite{.quantiser = Quantiser::q4e, .ratio = ratio},
             {latent_rotated, view(layer, CacheKind::ca_cache), block_table_, slots_, positions_},
             "");
}

}  // namespace deepinfer
