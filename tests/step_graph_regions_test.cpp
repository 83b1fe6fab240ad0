// The region plan of the real step graphs: every op once and in order, calls that fit their kinds,
// memory checked by brute force, and a number of kinds that does not grow with the layers.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "graph/regions.h"
#include "model/step_graph.h"
#include "tests/support/edited_config.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

Graph step_graph(const ModelConfig& config, int rows, bool trace = false) {
  const CacheLayout layout(config, {.block_tokens = 64,
                                    .blocks = 17,
                                    .slots = 3,
                                    .max_step_rows = 48,
                                    .layout = Layout::layer_major});
  return build_step_graph(
      config, layout,
      {.rows = rows, .numerics = Numerics::official, .max_context = 1024, .trace = trace});
}

std::size_t some_workspace(const Graph& graph, const Node& node) {
  const std::size_t kind = node.op.index();
  return kind % 3 == 0 ? 0 : kind * 100 * static_cast<std::size_t>(graph.rows);
}

class StepGraphRegions : public testing::TestWithParam<std::string> {
 protected:
  ModelConfig config_ = read_config(test_model(GetParam()));
};

TEST_P(StepGraphRegions, EveryOpRunsOnceInOrderAndCallsFitTheirKinds) {
  for (const bool trace : {false, true}) {
    const Graph graph = step_graph(config_, 5, trace);
    const RegionPlan plan = plan_regions(graph);
    std::vector<int> run;
    for (const RegionStep& step : plan.steps) {
      if (step.call < 0) {
        run.push_back(step.node);
        continue;
      }
      const RegionCall& call = plan.calls.at(static_cast<std::size_t>(step.call));
      const RegionKind& kind = plan.kinds.at(static_cast<std::size_t>(call.kind));
      run.insert(run.end(), call.nodes.begin(), call.nodes.end());
      ASSERT_EQ(call.nodes.size(), kind.graph->nodes.size());
      for (std::size_t i = 0; i < call.nodes.size(); ++i)
        ASSERT_EQ(graph.nodes[static_cast<std::size_t>(call.nodes[i])].op, kind.graph->nodes[i].op);
      ASSERT_EQ(call.arguments.size(), kind.arguments.size());
      for (std::size_t i = 0; i < call.arguments.size(); ++i)
        ASSERT_EQ(graph.value(call.arguments[i]).shape, kind.graph->value(kind.arguments[i]).shape);
      ASSERT_EQ(call.results.size(), kind.graph->outputs.size());
    }
    std::vector<int> expected;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      if (!std::holds_alternative<CacheView>(graph.nodes[i].op))
        expected.push_back(static_cast<int>(i));
    EXPECT_EQ(run, expected);
  }
}

/// Bytes that must stay undisturbed during some steps of the plan.
struct Life {
  std::string name;
  std::size_t begin, end;
  int first, last;
};

TEST_P(StepGraphRegions, NoTwoLiveValuesOverlap) {
  const Graph graph = step_graph(config_, 5);
  const RegionPlan plan = plan_regions(graph);
  const RegionMemory memory = plan_region_memory(graph, plan, some_workspace);

  // Worked out anew: who makes and who reads each value, by step.
  std::vector<int> step_of_node(graph.nodes.size(), -1);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].node >= 0)
      step_of_node[static_cast<std::size_t>(plan.steps[i].node)] = static_cast<int>(i);
    else
      for (const int node : plan.calls[static_cast<std::size_t>(plan.steps[i].call)].nodes)
        step_of_node[static_cast<std::size_t>(node)] = static_cast<int>(i);
  }
  std::vector<Life> lives;
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.kind != ValueKind::intermediate) continue;
    int made = -1;
    int last = -1;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      const auto uses = [&](const std::vector<ValueId>& ids) {
        return std::find(ids.begin(), ids.end(), static_cast<ValueId>(id)) != ids.end();
      };
      if (uses(node.results)) made = step_of_node[n];
      if (uses(node.operands)) last = std::max(last, step_of_node[n]);
    }
    for (const GraphOutput& output : graph.outputs)
      if (output.value == static_cast<ValueId>(id)) last = static_cast<int>(plan.steps.size());
    const Placement& place = memory.values[id];
    if (last <= made) {  // read where it is made only, or never
      if (place.bytes == 0) continue;
      last = made;
    }
    ASSERT_GE(place.bytes, value.bytes()) << value.name << " crosses regions";
    lives.push_back({value.name, place.offset, place.offset + place.bytes, made, last});
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Placement& place = memory.scratch[i];
    lives.push_back({"scratch", place.offset, place.offset + place.bytes, static_cast<int>(i),
                     static_cast<int>(i)});
  }
  for (const Life& a : lives) {
    ASSERT_LE(a.end, memory.arena_bytes);
    for (const Life& b : lives) {
      if (&a == &b || a.last < b.first || b.last < a.first) continue;
      ASSERT_TRUE(a.end <= b.begin || b.end <= a.begin) << a.name << " and " << b.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StepGraphRegions,
                         testing::Values("t41", "t41-odd", "t41-saturated", "released"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// The released config with the first layers of each sort and no others: two layers of window
/// attention (one with engram), a ratio-2 source and its reader, and so on, `layers` in all.
RegionPlan plan_of_layers(int layers) {
  const EditedConfig edited(test_model("released"), [layers](nlohmann::json& config) {
    nlohmann::json& text = config["text_config"];
    if (layers == 40) return;
    text["num_hidden_layers"] = layers;
    // Four: window, engram, and of each ratio a source without a reader. Eight: as in the release.
    text["compress_ratios"] = layers == 4 ? nlohmann::json{0, 0, 2, 1, 0, 0, 0}
                                          : nlohmann::json{0, 0, 2, 2, 1, 1, 1, 1, 0, 0, 0};
    text["kv_source_layer_ids"] = layers == 4 ? nlohmann::json{2, 3} : nlohmann::json{2, 4};
    text["index_source_layer_ids"] = layers == 4 ? nlohmann::json{2, 3} : nlohmann::json{2, 4, 6};
    text["candidate_source_layer_id"] = layers == 4 ? 3 : 4;
    text["engram_layer_ids"] = {1};
    text["engram_num_embeddings"] = {384006168};
    text["dspark_target_layer_ids"] = {layers - 3, layers - 2, layers - 1};
  });
  return plan_regions(step_graph(read_config(edited.directory()), 4));
}

TEST(RegionKinds, DoNotGrowWithTheNumberOfLayers) {
  const RegionPlan four = plan_of_layers(4);
  const RegionPlan eight = plan_of_layers(8);
  const RegionPlan forty = plan_of_layers(40);
  EXPECT_EQ(forty.calls.size(), 82U);  // attn and ffn of 40 layers, engram of two
  EXPECT_EQ(eight.calls.size(), 17U);
  EXPECT_EQ(four.calls.size(), 9U);
  // engram, ffn; attn over the window, over ratio 2 as source and reader, over ratio 1 as source
  // of keys and candidates, as source of a selection among candidates, and as reader.
  EXPECT_EQ(eight.kinds.size(), 8U) << describe(eight);
  EXPECT_EQ(forty.kinds.size(), eight.kinds.size()) << describe(forty);
  EXPECT_LT(four.kinds.size(), eight.kinds.size()) << describe(four);
}

TEST(RegionKinds, LayersOfDifferentAttributesDoNotShare) {
  const RegionPlan plan = plan_of_layers(8);
  std::set<std::string> names;
  for (const RegionKind& kind : plan.kinds) names.insert(kind.name);
  EXPECT_EQ(names.size(), plan.kinds.size());
  const auto kind_at = [&](const std::string& place) {
    for (const RegionCall& call : plan.calls)
      if (call.place == place) return call.kind;
    return -1;
  };
  EXPECT_EQ(kind_at("layers.0.attn"), kind_at("layers.1.attn"));
  EXPECT_NE(kind_at("layers.1.attn"), kind_at("layers.2.attn"));
  EXPECT_NE(kind_at("layers.3.attn"), kind_at("layers.5.attn")) << "ratios differ";
  EXPECT_EQ(kind_at("layers.5.attn"), kind_at("layers.7.attn"));
  EXPECT_EQ(kind_at("layers.0.ffn"), kind_at("layers.7.ffn"));
}

}  // namespace
}  // namespace deepinfer
