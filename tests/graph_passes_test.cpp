// The passes over real step graphs: what they do to the op count, and that the graph they make
// gives the bits of the graph they were given.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "graph/passes.h"
#include "model/step_graph.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/graph_run.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr const char* kBundled = "models/DeepInfer-V4.1-tiny";
constexpr std::int64_t kContext = 64;

CacheGeometry geometry() {
  return {.block_tokens = 8, .blocks = 9, .slots = 2, .max_step_rows = 8, .layout = {}};
}

std::string directory_of(const std::string& model) {
  return model == "bundled" ? kBundled : test_model(model);
}

Graph built(const ModelConfig& config, Numerics numerics, int rows, bool trace = false) {
  return build_step_graph(
      config, CacheLayout(config, geometry()),
      {.rows = rows, .numerics = numerics, .max_context = kContext, .trace = trace});
}

using Case = std::tuple<std::string, std::string, Numerics>;

class GraphPasses : public testing::TestWithParam<Case> {};

TEST_P(GraphPasses, AFusedGraphGivesTheBitsOfTheGraphAsBuilt) {
  const auto& [name, backend, numerics] = GetParam();
  const Model model = open_model(directory_of(name), EngramMode::memory);
  constexpr int kRows = 8;
  const Graph graph = built(model.config(), numerics, kRows);
  const Graph fused = run_passes(graph).graph;
  ASSERT_LT(fused.nodes.size(), graph.nodes.size());

  GraphRun as_built(model, geometry(), graph, backend_named(backend, 1), GraphMode::eager);
  GraphRun as_fused(model, geometry(), fused, backend_named(backend, 2), GraphMode::whole);
  const std::vector<std::int32_t> tokens = random_tokens(7, 30);
  std::int64_t first = 0;
  for (const int rows : {8, 1, 5, 8, 2, 6}) {  // over groups, blocks and the window
    const std::span<const std::int32_t> part(tokens.data(), static_cast<std::size_t>(first + rows));
    EXPECT_TRUE(same_bits(as_built.step(part, first), as_fused.step(part, first)))
        << rows << " rows from " << first;
    first += rows;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphPasses,
    testing::Combine(testing::Values("t41", "t41-odd", "t41-saturated", "bundled"),
                     testing::ValuesIn(backend_names()),
                     testing::Values(Numerics::official, Numerics::fp32)),
    [](const auto& info) {
      std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param) +
                         (std::get<2>(info.param) == Numerics::official ? "_official" : "_fp32");
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(GraphPassesOfAModel, ViewsComeFirstOnePerColumn) {
  const ModelConfig config = read_config(test_model("t41"));
  const Graph graph = run_passes(built(config, Numerics::official, 4), "canonicalise").graph;
  const std::size_t columns = CacheLayout(config, geometry()).columns().size();
  for (std::size_t index = 0; index < graph.nodes.size(); ++index)
    EXPECT_EQ(std::holds_alternative<CacheView>(graph.nodes[index].op), index < columns) << index;
}

TEST(GraphPassesOfAModel, EveryPatternFindsItsOps) {
  const ModelConfig config = read_config(test_model("t41"));
  const Graph graph = run_passes(built(config, Numerics::official, 4)).graph;
  std::map<std::string_view, int> ops;
  for (const Node& node : graph.nodes) ++ops[name_of(node.op)];
  const int layers = config.num_hidden_layers;
  const auto sources = static_cast<int>(config.kv_source_layer_ids.size());
  EXPECT_EQ(ops["hc_collapse"], 0);
  EXPECT_EQ(ops["hc_collapse_norm"], 2 * layers + 1);
  EXPECT_EQ(ops["rms_norm_rope"], layers + sources);  // kv, and a source's index key
  EXPECT_GE(ops["linear_group"], layers);             // wq_a with wkv in every layer
}

TEST(GraphPassesOfAModel, WhatATraceOutputsStaysReadable) {
  const ModelConfig config = read_config(test_model("t41"));
  const Graph graph = built(config, Numerics::official, 4, true);
  const Graph fused = run_passes(graph).graph;
  ASSERT_EQ(fused.outputs.size(), graph.outputs.size());
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    EXPECT_EQ(fused.outputs[i].name, graph.outputs[i].name);
    EXPECT_EQ(fused.value(fused.outputs[i].value).name, graph.value(graph.outputs[i].value).name);
  }
}

TEST(GraphPassesOfAModel, EagerRunsTheGraphAsBuiltAndWholeTheFusedOne) {
  for (const GraphMode mode : {GraphMode::eager, GraphMode::whole}) {
    Options options = test_options("cpu");
    options.graph_mode = mode;
    options.prefill_bucket = 8;
    const auto runtime = open_runtime("t41-odd", options);
    for (const CaptureInfo& info : runtime->runner().captures()) {
      if (mode == GraphMode::eager)
        EXPECT_EQ(info.ops, info.ops_built);
      else
        EXPECT_LT(info.ops, info.ops_built);
    }
  }
}

}  // namespace
}  // namespace deepinfer
