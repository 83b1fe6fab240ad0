// The memory plan of the real step graphs, by brute force; and its size over context lengths (B20).

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/step_graph.h"
#include "src/graph/memory_plan_checks_test.h"
#include "tests/support/edited_config.h"
#include "tests/support/long_prompt.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class StepGraphPlan : public testing::TestWithParam<std::string> {};

TEST_P(StepGraphPlan, NoTwoLiveValuesOverlapAndEveryByteIsAccountedFor) {
  const ModelConfig config = read_config(test_model(GetParam()));
  const CacheLayout layout(config, {.block_tokens = 64,
                                    .blocks = 17,
                                    .slots = 3,
                                    .max_step_rows = 48,
                                    .layout = Layout::block_major});
  // Differs from op to op, and is nothing for some.
  const auto workspace = [](const Graph& graph, const Node& node) -> std::size_t {
    const std::size_t kind = node.op.index();
    return kind % 3 == 0 ? 0 : kind * 100 * static_cast<std::size_t>(graph.rows);
  };
  for (const int rows : {1, 5, 48}) {
    for (const bool trace : {false, true}) {
      const Graph graph = build_step_graph(
          config, layout,
          {.rows = rows, .numerics = Numerics::official, .max_context = 1024, .trace = trace});
      const MemoryPlan plan = plan_memory(graph, workspace);
      check_plan(graph, plan, workspace);
      if (HasFatalFailure()) return;
      if (!trace) {
        EXPECT_LT(plan.arena_bytes, plan.unshared_bytes / 4) << "hardly anything shares bytes";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StepGraphPlan,
                         testing::Values("t41", "t41-odd", "t41-saturated", "released"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Arena of the largest step, by context length.
std::vector<std::size_t> arenas(const std::string& directory, const std::string& backend,
                                const std::vector<std::int64_t>& contexts) {
  std::vector<std::size_t> bytes;
  for (const std::int64_t context : contexts) {
    Options options = test_options(backend);
    options.max_batch = 2;
    options.prefill_bucket = 64;
    options.max_context = context;
    options.kv_memory = (context + 128) * 128;  // 106 bytes a token
    const Runtime runtime(open_model(directory, options.engram), options);
    bytes.push_back(runtime.runner().captures().back().arena_bytes);
  }
  return bytes;
}

TEST(ArenaSize, B20_does_not_grow_with_the_context) {
  const EditedConfig model(test_model("t41"), [](nlohmann::json& config) {
    config["text_config"]["max_position_embeddings"] = 1048576;
  });
  const auto cpu = arenas(model.directory(), "cpu", {1024, 8192, 32768, 1048576});
  EXPECT_EQ(cpu[0], cpu[1]);
  EXPECT_EQ(cpu[1], cpu[2]);
  EXPECT_LE(cpu[3], 2 * cpu[2]);  // a million positions: at most as much again
  // The reference keeps the scores of one row (never of all rows): 16 bytes a position at most.
  const auto reference = arenas(model.directory(), "reference", {1024, 1048576});
  EXPECT_LE(reference[1], reference[0] + std::size_t{16} * 1048576);
}

class LongPromptArena : public testing::TestWithParam<GraphMode> {};

TEST_P(LongPromptArena, B20_prompts_of_1k_and_8k_tokens_run_in_the_same_arena) {
  const LongPromptRun first = run_long_prompt(1024, GetParam());
  expect_same_arena(run_long_prompt(8192, GetParam()), first);
}

INSTANTIATE_TEST_SUITE_P(Modes, LongPromptArena,
                         testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace deepinfer
