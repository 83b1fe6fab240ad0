// The programs of whole models, made without a device and checked against what a device's compiler
// refuses: the released config in every mode, and how many there are.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "backend/pjrt/facts/device_facts.h"
#include "backend/pjrt/facts/module_set.h"
#include "checkpoint/tensor_names.h"
#include "graph/passes.h"
#include "model/step_graph.h"
#include "tests/support/edited_config.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

using pjrt::DeviceFacts;
using pjrt::SetModule;
using pjrt::Violation;

/// What a capture would lower, on caches as the family's backend asks for them.
class ModulesOf {
 public:
  ModulesOf(const ModelConfig& config, const DeviceFacts& facts, int rows, GraphMode mode,
            CacheGeometry geometry = {.block_tokens = 64,
                                      .blocks = 1025,
                                      .slots = 3,
                                      .max_step_rows = 128,
                                      .layout = Layout::block_major})
      : mode_(mode), rules_(&facts.rules) {
    for (const ExpectedTensor& tensor : expected_tensors(config))
      types_.emplace(tensor.name, tensor.dtype());
    geometry.typed_roots = facts.typed_columns_apart;
    const CacheLayout layout(config, geometry);
    const Graph built = build_step_graph(config, layout,
                                         {.rows = rows,
                                          .numerics = Numerics::official,
                                          .max_context = geometry.block_tokens * 64,
                                          .trace = false});
    graph_ = graph_for(mode, built);
    lowering_.types = facts.types;
    lowering_.plain_type = [this](const Value& value) {
      return types_.at(value.tensor_names.empty() ? value.name : value.tensor_names.front());
    };
    set_ = pjrt::module_set(graph_, mode, lowering_);
  }
  ~ModulesOf() = default;
  ModulesOf(const ModulesOf&) = delete;
  ModulesOf& operator=(const ModulesOf&) = delete;

  const std::vector<SetModule>& set() const { return set_; }
  const Graph& graph() const { return graph_; }

  std::string violations() const {
    std::string text;
    for (const SetModule& entry : set_)
      for (const Violation& fault : pjrt::check(entry, graph_, *rules_))
        text += entry.name + ":" + std::to_string(fault.line) + ": " + fault.what + "\n";
    return text;
  }

 private:
  GraphMode mode_;
  const pjrt::ModuleRules* rules_;
  std::map<std::string, DType> types_;
  Graph graph_;
  pjrt::LowerOptions lowering_;
  std::vector<SetModule> set_;
};

std::size_t runs_of(const std::vector<SetModule>& set) {
  std::size_t runs = 0;
  for (const SetModule& entry : set) runs += entry.runs;
  return runs;
}

using ReleasedCase = std::tuple<GraphMode, int>;

class ReleasedModules : public testing::TestWithParam<ReleasedCase> {};

TEST_P(ReleasedModules, KeepNeuronsRules) {
  const auto [mode, rows] = GetParam();
  const ModulesOf modules(read_config(test_model("released")), pjrt::neuron_facts(), rows, mode);
  EXPECT_EQ(modules.violations(), "");
  switch (mode) {
    case GraphMode::whole:
      EXPECT_EQ(modules.set().size(), 1U);
      break;
    case GraphMode::regions:  // 8 kinds of regions, and ops outside layers
      EXPECT_LE(modules.set().size(), 16U);
      EXPECT_GE(runs_of(modules.set()), 82U);
      break;
    case GraphMode::eager:
      EXPECT_LE(modules.set().size(), 60U);
      EXPECT_GE(runs_of(modules.set()), 1000U);
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReleasedModules,
                         testing::Combine(testing::Values(GraphMode::whole, GraphMode::regions,
                                                          GraphMode::eager),
                                          testing::Values(1, 4, 128)),
                         [](const auto& info) {
                           return std::string(name_of(std::get<0>(info.param))) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

/// t41 with as many layers, and among them every kind that the release has: a sixth over the
/// window, a third of ratio 2, half of ratio 1; sources first.
ModelConfig config_of_layers(int layers) {
  const int window = layers / 6;
  const int ratio_1 = layers / 2;
  const EditedConfig edited(test_model("t41"), [=](nlohmann::json& config) {
    nlohmann::json& text = config["text_config"];
    text["num_hidden_layers"] = layers;
    nlohmann::json ratios = nlohmann::json::array();
    for (int layer = 0; layer < layers; ++layer)
      ratios.push_back(layer < window ? 0 : layer < ratio_1 ? 2 : 1);
    text["compress_ratios"] = ratios;
    text["kv_source_layer_ids"] = {window, ratio_1};
    text["index_source_layer_ids"] = {window, ratio_1, ratio_1 + 1};
    text["candidate_source_layer_id"] = ratio_1;
    text["engram_layer_ids"] = {1};
    text["engram_num_embeddings"] = {660};
  });
  return read_config(edited.directory());
}

TEST(ModuleSet, E12_programs_and_their_number_do_not_grow_with_layers) {
  for (const GraphMode mode : {GraphMode::regions, GraphMode::eager}) {
    std::set<std::size_t> counts;
    for (const int layers : {6, 12, 24}) {
      const ModulesOf modules(config_of_layers(layers), pjrt::neuron_facts(), 4, mode);
      counts.insert(modules.set().size());
      EXPECT_EQ(modules.violations(), "") << layers;
      EXPECT_GT(runs_of(modules.set()), modules.set().size()) << layers;
    }
    EXPECT_EQ(counts.size(), 1U) << name_of(mode) << ": " << *counts.begin() << " to "
                                 << *counts.rbegin();
  }
}

TEST(ModuleSet, E12_no_byte_offset_of_a_layer_is_in_a_programs_text) {
  const ModulesOf modules(config_of_layers(12), pjrt::neuron_facts(), 4, GraphMode::regions);
  std::set<std::int64_t> offsets;
  for (const Node& node : modules.graph().nodes)
    if (const auto* view = std::get_if<CacheView>(&node.op)) offsets.insert(view->recipe.offset);
  offsets.erase(0);
  EXPECT_GT(offsets.size(), 10U);
  for (const SetModule& entry : modules.set())
    for (const std::int64_t offset : offsets)
      EXPECT_EQ(entry.module.text.find("dense<" + std::to_string(offset) + ">"), std::string::npos)
          << entry.name << " has the offset " << offset;
}

/// Why Neuron's caches are laid out by rows: else addresses have 64 bits.
TEST(ModuleSet, LargeRootsAreAddressedByRows) {
  const ModelConfig config = read_config(test_model("released"));
  CacheGeometry geometry = {.block_tokens = 64,
                            .blocks = 60000,
                            .slots = 3,
                            .max_step_rows = 128,
                            .layout = Layout::layer_major};
  const DeviceFacts& neuron = pjrt::neuron_facts();
  EXPECT_NE(ModulesOf(config, neuron, 1, GraphMode::regions, geometry)
                .violations()
                .find("refused type i64"),
            std::string::npos);
  geometry.layout = Layout::block_major;
  EXPECT_EQ(ModulesOf(config, neuron, 1, GraphMode::regions, geometry).violations(), "");
}

}  // namespace
}  // namespace deepinfer
