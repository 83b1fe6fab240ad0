// Hyper-connections, model specification 2.4 and 2.5.

#include <fmt/format.h>

#include "model/layer_builder.h"

namespace deepinfer {

LayerBuilder::Mix LayerBuilder::hc_mix(int layer, std::string_view site, ValueId streams) {
  const int hc = config_.hc_mult;
  const int mixes = (2 + hc) * hc;
  const std::string prefix = layer_name(layer, fmt::format("hc_{}_", site));
  const auto results = graph_.add_all(
      HcMix{.sinkhorn_iters = config_.hc_sinkhorn_iters,
            .hc_eps = config_.hc_eps,
            .eps = config_.rms_norm_eps},
      {streams, plain_weight(prefix + "fn", {mixes, hc * config_.hidden_size}),
       plain_weight(prefix + "scale", {3}), plain_weight(prefix + "base", {mixes})},
      {fmt::format("{}_pre", site), fmt::format("{}_post", site), fmt::format("{}_comb", site)});
  return {.pre = results[0], .post = results[1], .comb = results[2]};
}

ValueId LayerBuilder::hc_collapse(ValueId streams, ValueId pre, std::string_view name) {
  return graph_.add(HcCollapse{.rounding = rounding()}, {streams, pre}, name);
}

ValueId LayerBuilder::hc_expand(std::string_view site, ValueId y, ValueId streams, const Mix& mix) {
  return graph_.add(HcExpand{.rounding = rounding()}, {y, streams, mix.post, mix.comb},
                    fmt::format("{}_streams", site));
}

}  // namespace deepinfer
