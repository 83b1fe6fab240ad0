#pragma once

// What the files that build the parts of a layer share: the builder, the config, the step's inputs
// and the two kinds of linear. Lives for one build_step_graph() call.

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "cache/cache_layout.h"
#include "deepinfer/model_config.h"
#include "graph/graph_builder.h"
#include "model/step_graph.h"

namespace deepinfer {

/// The residual streams and the `pre` of the last hyper-connection site.
struct Streams {
  ValueId x = -1;
  ValueId pre = -1;
};

/// Top-k list and candidate blocks that an index source publishes to the layers behind it.
struct Selection {
  ValueId selected = -1;
  ValueId candidate_blocks = -1;
};

class LayerBuilder {
 public:
  LayerBuilder(GraphBuilder& graph, const ModelConfig& config, const CacheLayout& layout,
               const StepGraphOptions& options);

  // One function per part of the model, each in a file of its own name.
  Streams embedding();                                            // embedding_part.cpp
  ValueId engram(int layer, ValueId streams);                     // engram_part.cpp
  ValueId attention(int layer, ValueId x, Selection& selection);  // attention_part.cpp
  void compressor(int layer, ValueId x);                          // compressor_part.cpp
  void index(int layer, ValueId x, ValueId query_rank, Selection& selection);  // indexer_part.cpp
  ValueId moe(int layer, ValueId x);                                           // moe_part.cpp
  void head(const Streams& streams);                                           // head_part.cpp

  GraphBuilder& graph() { return graph_; }
  const ModelConfig& config() const { return config_; }
  /// Outputs `value` as "layer.<layer>.<name>" when tracing.
  void trace(int layer, std::string_view name, ValueId value);

  struct Mix {
    ValueId pre, post, comb;
  };
  // hyper_connection_part.cpp
  Mix hc_mix(int layer, std::string_view site, ValueId streams);
  ValueId hc_collapse(ValueId streams, ValueId pre, std::string_view name);
  ValueId hc_expand(std::string_view site, ValueId y, ValueId streams, const Mix& mix);
  /// The norm in front of a site: `site`_norm.
  ValueId layer_norm(int layer, std::string_view site, ValueId x);

 private:
  // Weights and linears (model specification 2.6 and section 6). `name` is a checkpoint name.
  ValueId plain_weight(std::string_view name, const Shape& shape);
  ValueId quantised_weight(std::string_view name, WeightFormat format, const Shape& shape);
  ValueId expert_bank(int layer, std::string_view which, const Shape& shape);
  ValueId quantised_linear(std::string_view name, ValueId x, int out, std::string_view result);
  ValueId plain_linear(std::string_view name, ValueId x, int out, Rounding rounding,
                       std::string_view result);
  ValueId rms_norm(std::string_view name, ValueId x, std::string_view result);
  ValueId rope(int layer, ValueId x, int head_dim, int position_step, bool inverse,
               std::string_view result);
  ValueId view(int layer, CacheKind kind);

  std::string layer_name(int layer, std::string_view rest) const;
  Rounding rounding() const;
  bool official() const;
  void count_visible();
  /// The derived buffer of entries that rows see, for index sources of `ratio`.
  ValueId visible(int ratio) const { return visible_.at(ratio); }
  std::int64_t width(ValueId value) const { return graph_.value(value).shape.back(); }
  int max_entries(int ratio) const;

  GraphBuilder& graph_;
  const ModelConfig& config_;
  const CacheLayout& layout_;
  const StepGraphOptions& options_;
  std::shared_ptr<const std::vector<float>> main_frequencies_;
  std::shared_ptr<const std::vector<float>> compressed_frequencies_;

  ValueId token_ids_, positions_, slots_, prev_rows_, wants_logits_, block_table_;
  std::map<int, ValueId> visible_;                   // by ratio
  std::array<ValueId, kCacheRoots.size()> roots_{};  // by CacheRoot; 0 where the layout has none
};

}  // namespace deepinfer
