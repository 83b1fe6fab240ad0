#include "model/step_graph.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>

#include "deepinfer/error.h"
#include "graph/printer.h"
#include "graph/verify.h"
#include "model/step_inputs.h"

namespace deepinfer {
namespace {

constexpr std::int64_t kContext = 1024;

CacheLayout layout_for(const ModelConfig& config, std::int64_t blocks = 17) {
  return CacheLayout(config, {.block_tokens = 64,
                              .blocks = blocks,
                              .slots = 3,
                              .max_step_rows = 16,
                              .layout = Layout::block_major});
}

Graph build(const ModelConfig& config, const StepGraphOptions& options) {
  return build_step_graph(config, layout_for(config), options);
}

Graph t41(Numerics numerics = Numerics::official, int rows = 4, bool trace = false) {
  return build(read_config("tests/data/t41"),
               {.rows = rows, .numerics = numerics, .max_context = kContext, .trace = trace});
}

/// Op names of one layer with their counts.
std::map<std::string, int> ops_of_layer(const Graph& graph, int layer) {
  const std::string place = "layers." + std::to_string(layer);
  std::map<std::string, int> ops;
  for (const Node& node : graph.nodes)
    if (node.place == place || node.place.starts_with(place + "."))
      ++ops[std::string(name_of(node.op))];
  return ops;
}

TEST(StepGraph, EachLayerHasTheOpsOfItsRoles) {
  const ModelConfig config = read_config("tests/data/t41");
  const Graph graph = t41();
  for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
    auto ops = ops_of_layer(graph, layer);
    const bool source = config.is_kv_source(layer);
    EXPECT_EQ(ops["engram_gate"], layer == 1 || layer == 5 ? 1 : 0) << layer;
    EXPECT_EQ(ops["engram_lookup"], ops["engram_gate"]) << layer;
    EXPECT_EQ(ops["compress"], layer == 2 || layer == 5 ? 1 : 0) << layer;  // ratio-2 sources
    EXPECT_EQ(ops["block_write"], source ? 2 : 0) << layer;
    EXPECT_EQ(ops["index_top_k"], config.is_index_source(layer) ? 1 : 0) << layer;
    EXPECT_EQ(ops["window_write"], 1) << layer;
    EXPECT_EQ(ops["sparse_attention"], 1) << layer;
    EXPECT_EQ(ops["hc_mix"], 2) << layer;
    EXPECT_EQ(ops["hc_collapse"], 2) << layer;
    EXPECT_EQ(ops["hc_expand"], 2) << layer;
    EXPECT_EQ(ops["router"], 1) << layer;
    EXPECT_EQ(ops["moe"], 1) << layer;
    EXPECT_EQ(ops["embedding"] + ops["lm_head"], 0) << layer;
  }
  EXPECT_EQ(config.kv_source_layer_ids, (std::vector<int>{2, 5, 6}));
}

// Fault B15: index keys and entries are those of the layer's own source, not the last publisher's.
TEST(StepGraph, B15_indexers_and_attention_read_their_own_sources_columns) {
  const ModelConfig config = read_config("tests/data/t41");
  const CacheLayout layout = layout_for(config);
  const Graph graph = t41();
  std::map<ValueId, std::int64_t> offsets;  // of views
  for (const Node& node : graph.nodes) {
    if (const auto* view = std::get_if<CacheView>(&node.op))
      offsets[node.results[0]] = view->recipe.offset;
    const auto layer_of = [&] { return std::stoi(node.place.substr(7)); };
    if (std::holds_alternative<IndexTopK>(node.op)) {
      const int source = config.kv_source_of(layer_of());
      EXPECT_EQ(offsets.at(node.operands[2]),
                layout.find(source, CacheKind::ica_cache)->recipe.offset)
          << node.place;
    }
    if (std::holds_alternative<SparseAttention>(node.op) && node.operands.size() > 5) {
      const int source = config.kv_source_of(layer_of());
      EXPECT_EQ(offsets.at(node.operands[5]),
                layout.find(source, CacheKind::ca_cache)->recipe.offset)
          << node.place;
    }
  }
}

TEST(StepGraph, WindowOnlyLayersRotateWithTheirOwnFrequencies) {
  const Graph graph = t41();
  std::set<const void*> window;
  std::set<const void*> compressed;
  for (const Node& node : graph.nodes) {
    const auto* rope = std::get_if<Rope>(&node.op);
    if (rope == nullptr) continue;
    const bool first_two =
        node.place.starts_with("layers.0") || node.place.starts_with("layers.1.");
    (first_two ? window : compressed).insert(rope->frequencies.get());
  }
  ASSERT_EQ(window.size(), 1U);
  ASSERT_EQ(compressed.size(), 1U);
  EXPECT_NE(*window.begin(), *compressed.begin());
}

TEST(StepGraph, NumericsDifferInAttributesOnly) {
  const Graph official = t41(Numerics::official);
  const Graph fp32 = t41(Numerics::fp32);
  ASSERT_EQ(official.nodes.size(), fp32.nodes.size());
  for (std::size_t i = 0; i < official.nodes.size(); ++i) {
    EXPECT_EQ(official.nodes[i].op.index(), fp32.nodes[i].op.index());
    EXPECT_EQ(official.nodes[i].operands, fp32.nodes[i].operands);
  }
  EXPECT_EQ(to_text(fp32).find("round=bf16"), std::string::npos);
  EXPECT_EQ(to_text(fp32).find("quantise_input=true"), std::string::npos);
  EXPECT_NE(to_text(official).find("round=bf16"), std::string::npos);
}

TEST(StepGraph, SizesDifferInShapesOnly) {
  const Graph one = t41(Numerics::official, 1);
  const Graph many = t41(Numerics::official, 16);
  ASSERT_EQ(one.nodes.size(), many.nodes.size());
  ASSERT_EQ(one.values.size(), many.values.size());
  for (std::size_t i = 0; i < one.values.size(); ++i)
    EXPECT_EQ(one.values[i].name, many.values[i].name);
}

TEST(StepGraph, E1_inputs_are_metadata_roots_and_weights) {
  const Graph graph = t41();
  std::set<std::string> metadata;
  std::set<std::string> derived;
  std::set<std::string> roots;
  for (const Value& value : graph.values) {
    if (value.kind == ValueKind::metadata) (value.derived ? derived : metadata).insert(value.name);
    if (value.kind == ValueKind::root) roots.insert(value.name);
  }
  EXPECT_EQ(metadata,
            (std::set<std::string>{"token_ids", "positions", "slots", "prev_rows", "wants_logits",
                                   "block_table", "engram.1.rows", "engram.5.rows"}));
  EXPECT_EQ(derived, (std::set<std::string>{"visible.1", "visible.2"}));
  EXPECT_EQ(roots, (std::set<std::string>{"kv_buffer", "state_buffer"}));
}

TEST(StepGraph, OutputsLogitsAndOnlyWithTraceTheLayers) {
  const auto names = [](const Graph& graph) {
    std::set<std::string> all;
    for (const GraphOutput& output : graph.outputs) all.insert(output.name);
    return all;
  };
  EXPECT_EQ(names(t41()), (std::set<std::string>{"logits"}));
  const std::set<std::string> traced = names(t41(Numerics::fp32, 2, true));
  EXPECT_TRUE(traced.contains("layer.0.streams"));
  EXPECT_TRUE(traced.contains("layer.6.candidate_blocks"));
  EXPECT_TRUE(traced.contains("layer.5.gate"));
  EXPECT_FALSE(traced.contains("layer.0.selected"));
  EXPECT_FALSE(traced.contains("layer.7.selected"));
}

TEST(StepGraph, TheReleasedModelsGraphIsBuiltInASecondWithoutWeights) {
  const ModelConfig config = read_config("tests/data/released");
  const CacheLayout layout = layout_for(config);
  const auto start = std::chrono::steady_clock::now();
  const Graph graph = build_step_graph(
      config, layout, {.rows = 128, .numerics = Numerics::official, .max_context = kContext});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 1.0);
  EXPECT_EQ(config.num_hidden_layers, 40);
  EXPECT_GT(graph.nodes.size(), 40U * 20);
  EXPECT_LT(graph.nodes.size(), 40U * 50);
  std::size_t moes = 0;
  for (const Node& node : graph.nodes) moes += std::holds_alternative<Moe>(node.op) ? 1 : 0;
  EXPECT_EQ(moes, 40U);
}

TEST(StepGraph, BlockTableHoldsTheContext) {
  const CacheGeometry geometry{.block_tokens = 64};
  EXPECT_EQ(block_table_width(geometry, 1), 1);
  EXPECT_EQ(block_table_width(geometry, 64), 1);
  EXPECT_EQ(block_table_width(geometry, 65), 2);
}

}  // namespace
}  // namespace deepinfer
