#include "model/step_graph.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "deepinfer/model_config.h"
#include "graph/memory_plan.h"
#include "graph/printer.h"
#include "model/rope_frequencies.h"

namespace deepinfer {
namespace {

/// The released model's structure at small widths: 40 layers, every role of specification 1.7.
ModelConfig forty_layers() {
  ModelConfig config;
  config.vocab_size = 640;
  config.hidden_size = 64;
  config.moe_intermediate_size = 32;
  config.num_hidden_layers = 40;
  config.num_attention_heads = 4;
  config.head_dim = 64;
  config.qk_rope_head_dim = 16;
  config.q_lora_rank = 32;
  config.o_lora_rank = 32;
  config.o_groups = 2;
  config.max_position_embeddings = 4096;
  config.compress_rope_theta = 160000;
  config.n_routed_experts = 4;
  config.num_experts_per_tok = 2;
  config.routed_scaling_factor = 1.5F;
  config.sliding_window = 8;
  config.compress_ratios = {0, 0};
  config.compress_ratios.insert(config.compress_ratios.end(), 18, 2);
  config.compress_ratios.insert(config.compress_ratios.end(), 20, 1);
  config.kv_source_layer_ids = {2, 8, 14, 20};
  config.index_source_layer_ids = {2, 8, 14, 20, 24, 28, 32, 36};
  config.index_n_heads = 4;
  config.index_head_dim = 32;
  config.index_topk = 16;
  config.candidate_source_layer_id = 20;
  config.candidate_topk_blocks = 8;
  config.candidate_block_size = 8;
  config.hc_mult = 4;
  config.hc_sinkhorn_iters = 20;
  config.engram.layer_ids = {1, 14};
  config.engram.max_ngram_size = 4;
  config.engram.n_heads = 2;
  config.engram.head_dim = 32;
  return config;
}

Graph build(const ModelConfig& config, Numerics numerics, int rows = 2, bool trace = false) {
  const CacheLayout layout(config,
                           {.block_tokens = 16, .blocks = 9, .slots = 3, .max_step_rows = rows});
  return build_step_graph(config, layout,
                          {.rows = rows, .numerics = numerics, .max_context = 128, .trace = trace});
}

std::size_t count(const Graph& graph, std::string_view op, std::string_view place = {}) {
  std::size_t found = 0;
  for (const Node& node : graph.nodes)
    if (name_of(node.op) == op && (place.empty() || node.place == place)) ++found;
  return found;
}

TEST(StepGraph, EveryLayerHasTwoSitesAndOneMoe) {
  const Graph graph = build(forty_layers(), Numerics::official);
  EXPECT_EQ(count(graph, "hc_mix"), 80U);
  EXPECT_EQ(count(graph, "hc_collapse"), 81U);  // and one for the head
  EXPECT_EQ(count(graph, "hc_expand"), 80U);
  EXPECT_EQ(count(graph, "moe"), 40U);
  EXPECT_EQ(count(graph, "sparse_attention"), 40U);
  EXPECT_EQ(count(graph, "window_write"), 40U);
}

TEST(StepGraph, RolesFollowTheSpecificationsTable) {
  const Graph graph = build(forty_layers(), Numerics::official);
  for (int layer = 0; layer < 40; ++layer) {
    const std::string attention = "layers." + std::to_string(layer) + ".attn";
    const bool kv_source = std::set<int>{2, 8, 14, 20}.contains(layer);
    const bool index_source = std::set<int>{2, 8, 14, 20, 24, 28, 32, 36}.contains(layer);
    EXPECT_EQ(count(graph, "block_write", attention + ".compressor"), kv_source ? 2U : 0U) << layer;
    EXPECT_EQ(count(graph, "compress", attention + ".compressor"),
              kv_source && layer != 20 ? 1U : 0U)
        << layer;  // ratio 1 has no gate
    EXPECT_EQ(count(graph, "index_top_k", attention + ".indexer"), index_source ? 1U : 0U) << layer;
    const bool engram = layer == 1 || layer == 14;
    EXPECT_EQ(count(graph, "engram_gate", "layers." + std::to_string(layer) + ".engram"),
              engram ? 1U : 0U)
        << layer;
  }
}

/// Weight names a node reads.
std::set<std::string> weights_of(const Graph& graph, const Node& node) {
  std::set<std::string> names;
  for (const ValueId id : node.operands)
    if (graph.value(id).kind == ValueKind::weight) names.insert(graph.value(id).name);
  return names;
}

/// The offset of the cache view that operand `index` of the only op `op` at `place` reads.
std::int64_t view_offset(const Graph& graph, std::string_view op, const std::string& place,
                         std::size_t index) {
  std::map<ValueId, std::int64_t> offsets;
  for (const Node& node : graph.nodes) {
    if (const auto* view = std::get_if<CacheView>(&node.op))
      offsets[node.results.front()] = view->recipe.offset;
    if (name_of(node.op) == op && node.place == place) return offsets.at(node.operands.at(index));
  }
  ADD_FAILURE() << "no " << op << " at " << place;
  return -1;
}

// Fault B15: keys are always those of the layer's own KV source.
TEST(StepGraph, B15_index_sources_score_the_keys_of_their_own_kv_source) {
  const ModelConfig config = forty_layers();
  const Graph graph = build(config, Numerics::official);
  const CacheLayout layout(config,
                           {.block_tokens = 16, .blocks = 9, .slots = 3, .max_step_rows = 2});
  for (const int layer : config.index_source_layer_ids) {
    const std::string place = "layers." + std::to_string(layer) + ".attn.indexer";
    EXPECT_EQ(view_offset(graph, "index_top_k", place, 2),
              layout.find(config.kv_source_of(layer), CacheKind::ica_cache)->recipe.offset)
        << layer;
  }
  for (int layer = 2; layer < 40; ++layer) {
    const std::string place = "layers." + std::to_string(layer) + ".attn";
    EXPECT_EQ(view_offset(graph, "sparse_attention", place, 5),
              layout.find(config.kv_source_of(layer), CacheKind::ca_cache)->recipe.offset)
        << layer;
  }
}

TEST(StepGraph, OnlyTheCandidateSourcePublishesAndOnlyLaterOnesAreRestricted) {
  const Graph graph = build(forty_layers(), Numerics::official);
  for (const Node& node : graph.nodes) {
    const auto* op = std::get_if<IndexTopK>(&node.op);
    if (op == nullptr) continue;
    EXPECT_EQ(op->publish_blocks > 0, node.place == "layers.20.attn.indexer") << node.place;
    const bool later = node.place > "layers.20" && node.place < "layers.4";
    EXPECT_EQ(node.operands.size() == 7, later && node.place != "layers.20.attn.indexer")
        << node.place;
  }
}

TEST(StepGraph, AllLayersOfARunReadTheSameSelection) {
  const Graph graph = build(forty_layers(), Numerics::official);
  std::map<std::string, ValueId> selected;
  for (const Node& node : graph.nodes)
    if (std::holds_alternative<SparseAttention>(node.op) && node.operands.size() == 8)
      selected[node.place] = node.operands[7];
  EXPECT_EQ(selected.at("layers.2.attn"), selected.at("layers.7.attn"));
  EXPECT_NE(selected.at("layers.7.attn"), selected.at("layers.8.attn"));
  EXPECT_EQ(selected.at("layers.36.attn"), selected.at("layers.39.attn"));
  EXPECT_FALSE(selected.contains("layers.1.attn"));
}

TEST(StepGraph, Fp32NumericsHaveNoRoundingPointsButTheCacheQuantisers) {
  const std::string text = to_text(build(forty_layers(), Numerics::fp32));
  EXPECT_EQ(text.find("round="), std::string::npos);
  EXPECT_EQ(text.find("quantise_input=true"), std::string::npos);
  EXPECT_EQ(text.find("bf16_scores=true"), std::string::npos);
  EXPECT_EQ(text.find("online_bf16=true"), std::string::npos);
  EXPECT_NE(text.find("fake_quantise"), std::string::npos);
  EXPECT_NE(text.find("window_write"), std::string::npos);
}

TEST(StepGraph, OfficialNumericsQuantiseTheInputsThatSection6Names) {
  const Graph graph = build(forty_layers(), Numerics::official);
  for (const Node& node : graph.nodes) {
    const auto* op = std::get_if<Linear>(&node.op);
    if (op == nullptr) continue;
    const std::string weight = *weights_of(graph, node).begin();
    const bool plain = weight.find("compressor.") != std::string::npos ||
                       weight.find("indexer.wk") != std::string::npos ||
                       weight.find("weights_proj") != std::string::npos ||
                       weight.find("gate.weight") != std::string::npos;
    EXPECT_EQ(op->quantise_input, !plain) << weight;
    const bool stays_fp32 =
        weight.find("gate.weight") != std::string::npos ||
        (weight.find("compressor.w") != std::string::npos && weight.find("layers.20.") != 0);
    EXPECT_EQ(op->rounding == Rounding::none, stays_fp32) << weight;
  }
}

TEST(StepGraph, SizesDifferInRowsOnly) {
  const ModelConfig config = forty_layers();
  const CacheLayout layout(config,
                           {.block_tokens = 16, .blocks = 9, .slots = 3, .max_step_rows = 48});
  const auto ops_of = [&](int rows) {
    const Graph graph =
        build_step_graph(config, layout, {.rows = rows, .max_context = 128, .trace = false});
    std::vector<std::string> names;
    for (const Node& node : graph.nodes)
      names.push_back(node.place + " " + std::string(name_of(node.op)));
    return names;
  };
  EXPECT_EQ(ops_of(1), ops_of(48));
}

TEST(StepGraph, TracingOnlyAddsOutputs) {
  const Graph plain = build(forty_layers(), Numerics::official, 2, false);
  const Graph traced = build(forty_layers(), Numerics::official, 2, true);
  EXPECT_EQ(plain.nodes.size(), traced.nodes.size());
  EXPECT_EQ(plain.outputs.size(), 1U);
  EXPECT_GT(traced.outputs.size(), 40U * 5);
}

// Fault A17: sizes that happen to be equal by default are used for one another.
TEST(StepGraph, A17_every_extent_comes_from_its_own_size) {
  const ModelConfig config = forty_layers();
  const CacheLayout layout(config,
                           {.block_tokens = 10, .blocks = 23, .slots = 6, .max_step_rows = 48});
  const Graph graph = build_step_graph(config, layout, {.rows = 7, .max_context = 100});
  for (const Value& value : graph.values) {
    if (value.name == "block_table") {
      EXPECT_EQ(value.shape, (Shape{6, 10}));
    } else if (value.kind == ValueKind::metadata || value.kind == ValueKind::intermediate) {
      EXPECT_EQ(value.shape[0], 7) << value.name;
    }
    if (value.name == "layers.2.attn.swa_cache") {
      EXPECT_EQ(value.shape, (Shape{6, 55, 66}));
    }
    if (value.name == "layers.2.attn.ca_cache") {
      EXPECT_EQ(value.shape, (Shape{23, 5, 36}));
    }
  }
}

TEST(RopeFrequencies, MatchTheSpecificationsTable) {
  ModelConfig config;
  config.qk_rope_head_dim = 64;
  config.rope_theta = 10000;
  config.compress_rope_theta = 160000;
  config.has_yarn = true;
  config.yarn = {
      .factor = 16, .beta_fast = 32, .beta_slow = 1, .original_max_position_embeddings = 65536};
  const std::vector<float> compressed = rope_frequencies(config, true);
  const std::map<std::size_t, double> table = {{0, 1.0},
                                               {1, 6.87656045e-1},
                                               {8, 5.00000008e-2},
                                               {15, 3.63553851e-3},
                                               {16, 2.26562494e-3},
                                               {17, 1.39680132e-3},
                                               {20, 2.96977785e-4},
                                               {24, 1.95312532e-5},
                                               {25, 5.37231244e-6},
                                               {31, 5.68052940e-7}};
  ASSERT_EQ(compressed.size(), 32U);
  for (const auto& [i, f] : table) EXPECT_NEAR(compressed[i], f, 2e-7 * f) << i;
  const std::vector<float> main = rope_frequencies(config, false);
  EXPECT_NEAR(main[1], 0.749894202, 1e-7);
  EXPECT_NEAR(main[31], 1.33352150e-4, 2e-11);
}

}  // namespace
}  // namespace deepinfer
