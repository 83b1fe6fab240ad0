// Whole models on a PJRT plug-in for the CPU: the goldens, cpu's greedy tokens, the program itself.
// Compiling takes most of the time, so sizes are few. Skipped where `make pjrt` was not run.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/cli.h"
#include "tests/support/golden_checks.h"
#include "tests/support/golden_model.h"
#include "tests/support/pjrt_plugin.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

Options small_options(GraphMode mode) {
  Options options = test_options("pjrt");
  options.pjrt_plugin = kPjrtPlugin;
  options.graph_mode = mode;
  options.max_batch = 1;
  options.prefill_bucket = 8;
  return options;
}

class PjrtGoldens : public testing::TestWithParam<Numerics> {};

/// Held to what cpu is held to (golden_checks.cpp): fp32 logits within 1e-3, official ones by
/// cosine, greedy tokens equal as long as the gap to the next one is clear.
TEST_P(PjrtGoldens, LogitsAndGreedyTokens) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  GoldenRun run{.model = "t41",
                .backend = "pjrt",
                .mode = GraphMode::whole,
                .numerics = GetParam(),
                .longest_prompt = 48};
  run.all_chunkings = false;  // another size is another program, whose sums may round differently
  run.greedy_tokens = 16;
  run.pjrt_plugin = kPjrtPlugin;
  check_goldens(run);
}

INSTANTIATE_TEST_SUITE_P(All, PjrtGoldens, testing::Values(Numerics::fp32, Numerics::official),
                         [](const auto& info) { return golden_name(info.param); });

class PjrtModes : public testing::TestWithParam<GraphMode> {};

TEST_P(PjrtModes, GiveTheGreedyTokensOfCpu) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  Options options = small_options(GetParam());
  options.numerics = Numerics::fp32;
  const auto pjrt = open_runtime("t41", options);
  options.backend = BackendKind::cpu;
  const auto cpu = open_runtime("t41", options);
  for (const int length : {3, 21}) {  // 21: three steps of a prompt, over what lies in the roots
    const auto tokens = random_tokens(7, static_cast<std::size_t>(length));
    EXPECT_EQ(greedy(*pjrt, tokens, 12), greedy(*cpu, tokens, 12)) << length;
  }
  // Layers of a kind share a program.
  for (const CaptureInfo& info : pjrt->runner().captures()) {
    EXPECT_GT(info.executables, 0U);
    EXPECT_LT(info.executables, info.ops / 2) << info.rows;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PjrtModes,
                         testing::Values(GraphMode::whole, GraphMode::eager, GraphMode::regions),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// Other rows of a step, padding rows, and what others left in rows of the caches have no effect:
// the same program gives the same bits. Compare padding and stale rows of the runner's own tests.
TEST(PjrtModel, NeighboursPaddingAndStaleRowsChangeNoBit) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  constexpr int kRows = 4;
  Options options = small_options(GraphMode::eager);
  options.max_batch = kRows;
  options.prefill_bucket = kRows;
  options.max_context = 64;
  options.block_tokens = 8;
  const auto runtime = open_runtime("t41", options);
  StepScript script(*runtime);
  const std::vector<std::int32_t> tokens = random_tokens(21, 12);
  /// All of `tokens` at kRows rows a step, in row `first` behind rows of others.
  const auto run = [&](std::size_t others) {
    std::vector<std::size_t> neighbours;
    neighbours.reserve(others);
    for (std::size_t i = 0; i < others; ++i)
      neighbours.push_back(script.open(random_tokens(31 + i, 30)));
    const std::size_t own = script.open(tokens);
    std::vector<std::vector<float>> logits;
    for (std::size_t step = 0; step < tokens.size(); ++step) {
      std::vector<StepScript::Part> parts;
      parts.reserve(others + 1);
      for (const std::size_t neighbour : neighbours) parts.push_back({neighbour, 1});
      parts.push_back({own, 1});
      logits.push_back(script.step_at_size(kRows, parts).back());
    }
    for (const std::size_t neighbour : neighbours) script.close(neighbour);
    script.close(own);
    return logits;
  };
  const auto alone = run(0);  // over fresh caches, three rows of padding
  for (const std::size_t others : {std::size_t{3}, std::size_t{1}, std::size_t{0}}) {
    const auto logits = run(others);  // in other slots and blocks, over what others left there
    for (std::size_t step = 0; step < tokens.size(); ++step)
      ASSERT_TRUE(same_bits(alone[step], logits[step])) << others << " others, step " << step;
  }
}

// Fault area E: programs for shorter sequences have tables of another width over the same roots.
TEST(PjrtModel, ContextBucketsChangeNothing) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  // Op by op, since ops that see no table are the same programs in all buckets.
  Options options = small_options(GraphMode::eager);
  options.numerics = Numerics::fp32;
  options.max_context = 96;
  options.block_tokens = 8;
  const auto tokens = random_tokens(11, 70);
  const std::vector<int> chunks = even_chunks(tokens.size(), 8);
  const auto plain = open_runtime("t41", options);
  const std::vector<float> expected = last_logits(*plain, tokens, chunks);
  const std::vector<std::int32_t> text = greedy(*plain, random_tokens(12, 3), 24);
  options.context_bucket = 12;
  const auto bucketed = open_runtime("t41", options);
  EXPECT_LE(largest_difference(expected, last_logits(*bucketed, tokens, chunks)), 1e-3);
  EXPECT_EQ(text, greedy(*bucketed, random_tokens(12, 3), 24));
  std::size_t used = 0;
  for (const CaptureInfo& info : bucketed->runner().captures()) used += info.replays > 0 ? 1 : 0;
  EXPECT_GE(used, 5U);  // 12, 48, 96 positions with 8 rows, 12 and 48 with one

  const std::optional<DeviceMemoryUse>& device = bucketed->memory().device;
  ASSERT_TRUE(device.has_value());
  for (const MemoryPart& part : device->parts) EXPECT_GT(part.bytes, 0) << part.name;
  EXPECT_FALSE(open_runtime("t41", test_options("cpu"))->memory().device.has_value());
}

/// The program on the bundled model, its compiled programs kept in `cache`.
ProgramResult complete(const std::string& cache) {
  return run_program(DEEPINFER_PROGRAM, {.arguments = {"run",
                                                       "--backend",
                                                       "pjrt",
                                                       "--pjrt-plugin",
                                                       kPjrtPlugin,
                                                       "-p",
                                                       "Alice was beginning to get very tired of",
                                                       "--max-batch",
                                                       "1",
                                                       "--prefill-bucket",
                                                       "16",
                                                       "--max-context",
                                                       "256",
                                                       "-n",
                                                       "12",
                                                       "--graph-mode",
                                                       "regions",
                                                       "--json",
                                                       "--compile-cache",
                                                       cache},
                                         .environment = {{"PJRT_NPROC", "1"}}});
}

TEST(PjrtModel, E8_the_program_answers_and_started_again_elsewhere_compiles_nothing) {
  if (!has_pjrt_plugin()) GTEST_SKIP() << "no plug-in";
  const TemporaryFolder folder;
  const ProgramResult first = complete(folder.file("here"));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.err.find("roots updated in place"), std::string::npos) << first.err;
  const nlohmann::json answer = nlohmann::json::parse(first.out);
  EXPECT_EQ(answer["text"].get<std::string>().find(" sitting by her sister on the bank, and of"),
            0U)
      << answer["text"];
  EXPECT_GT(answer["timings"]["compiles"], 10);
  EXPECT_EQ(answer["timings"]["compile_loads"], 0);

  std::filesystem::rename(folder.file("here"), folder.file("there"));
  const ProgramResult second = complete(folder.file("there"));
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.err.find("warning"), std::string::npos) << second.err;
  const nlohmann::json again = nlohmann::json::parse(second.out);
  EXPECT_EQ(again["tokens"], answer["tokens"]);
  EXPECT_EQ(again["timings"]["compiles"], 0);
  EXPECT_EQ(again["timings"]["compile_loads"], answer["timings"]["compiles"]);
  for (const nlohmann::json& graph : again["graphs"]) EXPECT_EQ(graph["compiled"], 0);
}

}  // namespace
}  // namespace deepinfer
