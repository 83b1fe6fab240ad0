// What a start says of its graphs, inputs and memory, and what a run counts.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cli.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

ProgramResult start(const std::vector<std::string>& extra) {
  std::vector<std::string> arguments = {"run",         "-m",          "tests/data/t41",
                                        "--tokens",    "5,6",         "-n",
                                        "3",           "--kv-memory", "4M",
                                        "--max-batch", "2",           "--prefill-bucket",
                                        "8",           "--threads",   "1"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return run_program(DEEPINFER_PROGRAM, {.arguments = arguments});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CliStart, TheTableNamesBackendFullgraphSizesAndEveryGraph) {
  const ProgramResult result = start({});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "step graphs: backend cpu, ")) << result.err;
  EXPECT_TRUE(has(result.err, "; fullgraph true; sizes 1, 2, 8\n")) << result.err;
  for (const char* column : {"rows", "kind", "mode", "ops built", "ops", "executables", "arena",
                             "compile ms", "first run ms"})
    EXPECT_TRUE(has(result.err, column)) << column;
  EXPECT_TRUE(has(result.err, "     8  prefill whole  ")) << result.err;
  EXPECT_TRUE(has(result.err, "     2  decode  whole  ")) << result.err;
}

TEST(CliStart, EveryModeIsNamedAsItRuns) {
  for (const std::string mode : {"eager", "regions"}) {
    const ProgramResult result = start({"--graph-mode", mode, "--fullgraph", "false"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(has(result.err, "fullgraph false")) << result.err;
    EXPECT_TRUE(has(result.err, "     1  decode  " + mode)) << result.err;
    EXPECT_FALSE(has(result.err, "fall back")) << result.err;
  }
}

TEST(CliStart, AliasDebugListsInputsThatShareBytes) {
  const ProgramResult result = start({"--alias-debug", "true", "--log-level", "error"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(has(result.err, "alias: kv_buffer (root) [0x")) << result.err;
  EXPECT_TRUE(has(result.err, "(column of kv_buffer)")) << result.err;
  EXPECT_TRUE(has(result.err, "allowed, one is declared a column of the other")) << result.err;
  EXPECT_TRUE(has(result.err, " pairs share bytes, 0 of them not allowed")) << result.err;
  EXPECT_FALSE(has(result.err, "NOT ALLOWED")) << result.err;
  EXPECT_FALSE(has(start({"--log-level", "debug"}).err, "alias:"));
}

TEST(CliStart, RunCountsGraphHitsFallbacksAndCompiles) {
  const ProgramResult whole = start({"--json"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Json json = Json::parse(whole.out);
  const Json& timings = json["timings"];
  EXPECT_EQ(timings["graph_hits"], 3);  // the prompt and two of three tokens
  EXPECT_EQ(timings["eager_fallbacks"], 0);
  EXPECT_EQ(timings["compiles"], 3);
  for (const Json& graph : json["graphs"]) {
    EXPECT_EQ(graph["mode"], "whole");
    EXPECT_EQ(graph["executables"], 1);
    EXPECT_GT(graph["ops_built"], graph["ops"]);
  }
  std::int64_t sum = 0;
  for (const auto& [name, bytes] : json["memory"]["parts"].items())
    sum += bytes.get<std::int64_t>();
  EXPECT_EQ(json["memory"]["total"], sum);
  EXPECT_GT(json["memory"]["mapped"], 0);

  const Json eager = Json::parse(start({"--json", "--graph-mode", "eager"}).out)["timings"];
  EXPECT_EQ(eager["graph_hits"], 0);
  EXPECT_EQ(eager["eager_fallbacks"], 0);
  EXPECT_EQ(eager["compiles"], 0);
}

TEST(CliStart, EvalCountsThemToo) {
  TemporaryFolder folder;
  const std::string cases =
      folder.write("cases.json", R"([{"id": "a", "tokens": [5, 6], "expect": "x"}])");
  const ProgramResult result =
      run_program(DEEPINFER_PROGRAM, {.arguments = quick({"eval", "-m", "tests/data/t41", "--cases",
                                                          cases, "--kv-memory", "4M", "--json"})});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json timings = Json::parse(result.out)["timings"];
  EXPECT_GE(timings["graph_hits"], 1);
  EXPECT_EQ(timings["eager_fallbacks"], 0);
  EXPECT_EQ(timings["compiles"], 3);
}

TEST(CliStart, InspectCachesShowsRecipesAndTheLayoutOfTheMode) {
  const auto inspect = [](const std::vector<std::string>& extra) {
    std::vector<std::string> arguments = {"inspect",        "--caches",    "-m",
                                          "tests/data/t41", "--kv-memory", "1M"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return run_program(DEEPINFER_PROGRAM, {.arguments = arguments}).out;
  };
  const std::string text = inspect({});
  EXPECT_TRUE(has(text, "layout block_major")) << text;
  EXPECT_TRUE(has(text, "columns of all types share their root's allocation")) << text;
  EXPECT_TRUE(has(inspect({"--graph-mode", "regions"}), "layout layer_major"));
  EXPECT_TRUE(
      has(inspect({"--graph-mode", "regions", "--layout", "block_major"}), "layout block_major"));
  const Json json = Json::parse(inspect({"--json"}));
  EXPECT_EQ(json["layout"], "block_major");
  EXPECT_EQ(json["typed_roots"], false);
  for (const Json& column : json["columns"]) {
    const std::int64_t rows = column["root"] == "kv" ? json["blocks"] : json["slots"];
    EXPECT_EQ(column["rows"], rows) << column;
    EXPECT_EQ(column["shape"][0], rows) << column;
    EXPECT_LE(column["offset"].get<std::int64_t>() +
                  (rows - 1) * column["row_bytes"].get<std::int64_t>() +
                  column["bytes"].get<std::int64_t>(),
              json["roots"][column["root"].get<std::string>()].get<std::int64_t>())
        << column;
    EXPECT_TRUE(column.contains("dtype"));
  }
}

TEST(CliStart, MoreMemoryThanThereIsIsRefusedWithTheParts) {
  const ProgramResult result =
      run_program(DEEPINFER_PROGRAM, {.arguments = {"run", "-m", "tests/data/t41", "--tokens", "5",
                                                    "-n", "1", "--kv-memory", "1000G"}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(has(result.err, "is more than this machine has free")) << result.err;
}

}  // namespace
}  // namespace deepinfer
