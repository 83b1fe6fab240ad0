// `deepinfer inspect --graph`: the graph after each pass, and its JSON read back and run.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cache/cache_plan.h"
#include "core/system_memory.h"
#include "graph/graph_json.h"
#include "graph/passes.h"
#include "graph/printer.h"
#include "model/step_graph.h"
#include "runner/step_caches.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/graph_run.h"
#include "tests/support/run_program.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr const char* kBundled = "models/DeepInfer-V4.1-tiny";
constexpr int kGraphRows = 4;

std::string inspect(std::vector<std::string> arguments) {
  std::vector<std::string> all = {
      "inspect", "-m",          kBundled, "--graph",     "4",  "--max-context",
      "64",      "--max-batch", "2",      "--kv-memory", "1M", "--prefill-bucket",
      "8"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProgramResult result = run_program(DEEPINFER_PROGRAM, {.arguments = all});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

/// What the program resolves from the arguments above.
Options inspected_options() {
  Options options;
  options.model = kBundled;
  options.max_context = 64;
  options.max_batch = 2;
  options.kv_memory = std::int64_t{1} << 20;
  options.prefill_bucket = 8;
  return options;
}

class InspectGraph : public testing::Test {
 protected:
  InspectGraph()
      : model_(open_model(kBundled, EngramMode::memory)),
        plan_(plan_step_caches(model_.config(), inspected_options(), available_memory())),
        built_(build_step_graph(model_.config(), CacheLayout(model_.config(), plan_.geometry),
                                {.rows = kGraphRows,
                                 .numerics = Numerics::official,
                                 .max_context = plan_.max_context})) {}

  Model model_;
  CachePlan plan_;
  Graph built_;
};

TEST_F(InspectGraph, AfterNothingOrNoneItIsAsBuilt) {
  EXPECT_EQ(inspect({}), to_text(built_));
  EXPECT_EQ(inspect({"--after", "none"}), to_text(built_));
}

TEST_F(InspectGraph, AfterEveryPassItIsWhatThePassMade) {
  for (const std::string_view pass : kPassNames) {
    const PassResult passed = run_passes(built_, pass);
    const std::string text = inspect({"--after", std::string(pass)});
    EXPECT_EQ(text.substr(0, to_text(passed.graph).size()), to_text(passed.graph)) << pass;
    EXPECT_NE(text.find("\n# " + std::string(pass) + ": "), std::string::npos) << pass;
    const auto json = nlohmann::json::parse(inspect({"--after", std::string(pass), "--json"}));
    EXPECT_EQ(json["after"], pass);
    EXPECT_EQ(json["passes"].size(), passed.reports.size());
    EXPECT_EQ(json["passes"].back()["ops_after"], passed.graph.nodes.size());
    EXPECT_EQ(json.contains("plan"), pass == "plan");
  }
}

TEST_F(InspectGraph, ItsJsonReadBackRunsToTheBitsOfTheBuiltGraph) {
  GraphRun wanted(model_, plan_.geometry, built_, backend_named("reference"), GraphMode::eager);
  const std::vector<std::int32_t> tokens = random_tokens(11, 10);
  struct Step {
    std::int64_t first;
    std::size_t end;
  };
  const std::vector<Step> steps = {{0, 4}, {4, 5}, {5, 9}, {9, 10}};
  std::vector<std::vector<float>> logits;
  logits.reserve(steps.size());
  for (const Step& step : steps)
    logits.push_back(wanted.step({tokens.data(), step.end}, step.first));

  for (const char* pass : {"none", "canonicalise", "fuse", "plan"}) {
    Graph read = graph_from_json(inspect({"--after", pass, "--json"}), "inspect");
    GraphRun run(model_, plan_.geometry, std::move(read), backend_named("reference"),
                 GraphMode::whole);
    for (std::size_t i = 0; i < steps.size(); ++i)
      EXPECT_TRUE(same_bits(run.step({tokens.data(), steps[i].end}, steps[i].first), logits[i]))
          << pass << ", step " << i;
  }
}

}  // namespace
}  // namespace deepinfer
