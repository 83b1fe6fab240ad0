#pragma once

// The forward pass of one step as a graph: N rows in, N rows of logits out (model specification 2).

#include "cache/cache_layout.h"
#include "deepinfer/model_config.h"
#include "deepinfer/options.h"
#include "graph/graph.h"

namespace deepinfer {

struct StepGraphOptions {
  int rows = 1;
  Numerics numerics = Numerics::official;
  std::int64_t max_context = 0;  ///< positions a sequence may have; fixes the block table's width
  /// Also output, per layer i: "layer.<i>.streams", ".pre", ".attn_out", ".ffn_out", ".experts",
  /// ".selected", ".candidate_blocks", ".gate" (engram), where the layer has them.
  bool trace = false;
};

/// Columns of the block table for sequences of `max_context` positions.
std::int64_t block_table_width(const CacheGeometry& geometry, std::int64_t max_context);

/// Builds and verifies the graph. Its outputs: "logits" f32 [rows, vocab], plus the traced values.
Graph build_step_graph(const ModelConfig& config, const CacheLayout& layout,
                       const StepGraphOptions& options);

}  // namespace deepinfer
