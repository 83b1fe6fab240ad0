// `deepinfer logits`, `inspect`, `check` and `tokenize`.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/cli.h"
#include "tests/support/golden_file.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

Json json_result(const Arguments& arguments) {
  const ProgramResult result = call(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return Json::parse(result.out);
}

/// Runs logits on T41 into a file.
GoldenFile logits(const TemporaryFolder& folder, Arguments extra) {
  Arguments arguments = {"logits", "-m", kT41, "--out", folder.file("out.safetensors")};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  const ProgramResult result = call(quick(arguments));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return GoldenFile(folder.file("out.safetensors"));
}

TEST(CliLogits, WritesOneRowPerStep) {
  const TemporaryFolder folder;
  const GoldenFile all =
      logits(folder, {"--tokens", "5,6,7,8", "--greedy", "2", "--all-positions"});
  const Shape shape = all.shape("logits");
  ASSERT_EQ(shape[0], 6);
  EXPECT_EQ(all.i64("tokens").size(), 2U);
  const std::vector<float> rows = all.f32("logits");

  // Cut and asked otherwise, the same numbers.
  const GoldenFile last = logits(folder, {"--tokens-file", folder.write("ids", "5\n6\n7\n8\n"),
                                          "--chunks", "1,2,1", "--greedy", "2"});
  ASSERT_EQ(last.shape("logits")[0], 3);
  EXPECT_EQ(last.i64("tokens"), all.i64("tokens"));
  const auto from = static_cast<std::ptrdiff_t>(3 * shape[1]);
  EXPECT_EQ(last.f32("logits"), std::vector<float>(rows.begin() + from, rows.end()));
}

TEST(CliLogits, TracesEveryPositionOfEveryLayer) {
  const TemporaryFolder folder;
  const GoldenFile one = logits(folder, {"--tokens", "5,6,7", "--greedy", "1", "--trace"});
  const GoldenFile cut = logits(folder, {"--tokens", "5,6,7", "--trace", "--chunks", "2,1"});
  for (int layer : {0, 1}) {
    const std::string name = "layer." + std::to_string(layer) + ".sum";
    std::vector<float> sums = one.f32(name);
    ASSERT_EQ(sums.size(), 4U);
    EXPECT_NE(sums[0], sums[1]);
    sums.pop_back();
    EXPECT_EQ(cut.f32(name), sums);
  }
}

TEST(CliLogits, AFileThatCannotBeWrittenLeavesNothing) {
  const TemporaryFolder folder;
  const ProgramResult full = run_program(
      DEEPINFER_PROGRAM,
      {.arguments = quick({"logits", "-m", kT41, "--out", folder.file("out.safetensors")}),
       .file_size_limit = 1024});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(full.error_lines(), 1) << full.err;
  EXPECT_NE(full.err.find("File too large"), std::string::npos) << full.err;
  EXPECT_TRUE(folder.empty());

  const ProgramResult device = call({"logits", "-m", kT41, "--out", "/dev/full"});
  EXPECT_EQ(device.exit_code, 1);
  EXPECT_EQ(device.err,
            "[--out] cannot write the file, got '/dev/full' (No space left on device)\n");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));

  const ProgramResult missing =
      call({"logits", "-m", kT41, "--out", folder.file("no/such/out.safetensors")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.error_lines(), 1) << missing.err;
}

TEST(CliLogits, AnOldFileStaysWhenTheNewOneFails) {
  const TemporaryFolder folder;
  const std::string path = folder.write("out.safetensors", "old");
  const ProgramResult full = run_program(
      DEEPINFER_PROGRAM,
      {.arguments = quick({"logits", "-m", kT41, "--out", path}), .file_size_limit = 1024});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(std::filesystem::file_size(path), 3U);
}

TEST(CliLogits, WithoutAFileItPrintsTheLikeliestTokens) {
  const ProgramResult result =
      call(quick({"logits", "-m", kT41, "--tokens", "375", "--greedy", "1", "--numerics", "fp32"}));
  // The first greedy token of the golden prompt p1.
  EXPECT_EQ(result.out.find("step 0:  368 "), 0U) << result.out;
  EXPECT_NE(result.out.find("\ntokens [368]\n"), std::string::npos) << result.out;
}

TEST(CliInspect, EverySectionIsTextAndJson) {
  for (const Arguments& section :
       {Arguments{"--config"}, Arguments{"--tensors"}, Arguments{"--caches"},
        Arguments{"--graph", "2"}, Arguments{"--graph", "2", "--after", "verify"},
        Arguments{"--graph", "2", "--after", "plan"}, Arguments{"--plan", "16"},
        Arguments{"--options"}, Arguments{"--machine"}}) {
    Arguments arguments = {"inspect", "-m", kT41};
    arguments.insert(arguments.end(), section.begin(), section.end());
    const ProgramResult text = call(arguments);
    EXPECT_EQ(text.exit_code, 0) << section.front() << text.err;
    EXPECT_FALSE(text.out.empty());
    arguments.emplace_back("--json");
    EXPECT_FALSE(json_result(arguments).empty());
  }
}

TEST(CliInspect, ShowsWhatTheOptionsChange) {
  const Json narrow = json_result({"inspect", "--json", "--caches", "--max-context", "64"});
  EXPECT_EQ(narrow["max_context"], 64);
  EXPECT_EQ(json_result({"inspect", "--json", "--caches", "--max-batch", "3"})["slots"], 4);
  EXPECT_EQ(json_result({"inspect", "--json", "--caches", "--block-tokens", "16"})["block_tokens"],
            16);
  EXPECT_NE(call({"inspect", "--caches"}).out,
            call({"inspect", "--caches", "--layout", "layer_major"}).out);
  EXPECT_NE(call({"inspect", "--graph", "1"}).out,
            call({"inspect", "--graph", "1", "--numerics", "fp32"}).out);
}

TEST(CliInspect, ListsTensorsByPattern) {
  const Json all = json_result({"inspect", "--json", "--tensors"});
  EXPECT_EQ(all.size(), 572U);  // the model's card
  const Json some = json_result({"inspect", "--json", "--tensors", "layers.0.attn.*"});
  ASSERT_GT(some.size(), 0U);
  for (const Json& tensor : some)
    EXPECT_EQ(tensor["name"].get<std::string>().rfind("layers.0.attn.", 0), 0U);
  EXPECT_EQ(call({"inspect", "--tensors", "nothing*"}).exit_code, 2);
}

TEST(CliInspect, ThePlanNamesRegionsAndTheirKinds) {
  const Json regions = json_result({"inspect", "--json", "--plan", "4"})["regions"];
  EXPECT_EQ(regions["calls"], 16);  // attn and ffn of seven layers, engram of two
  EXPECT_EQ(regions["executables"], regions["kinds"].size());
  EXPECT_LT(regions["executables"].get<int>(), 16);
  int calls = 0;
  for (const Json& kind : regions["kinds"]) calls += kind["calls"].get<int>();
  EXPECT_EQ(calls, 16);
  EXPECT_GT(regions["arena_bytes"].get<int>(), 0);
}

TEST(CliInspect, ThePlanNeedsNoWeights) {
  const Json released = json_result(
      {"inspect", "--json", "--plan", "4", "-m", "tests/data/released", "--graph-mode", "regions"});
  EXPECT_EQ(released["regions"]["executables"], 8);  // the config of the release, 40 layers
  EXPECT_GT(released["weight_bytes"], std::uint64_t{100} << 30);
  // Of the bundled model the config alone says what the files' headers say.
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("config"));
  std::filesystem::copy("models/DeepInfer-V4.1-tiny/config.json", folder.file("config"));
  EXPECT_EQ(json_result({"inspect", "--json", "--plan", "4", "-m", folder.file("config")}),
            json_result({"inspect", "--json", "--plan", "4"}));
}

TEST(CliInspect, ThePlanNamesWeightsCachesAndArena) {
  const Json plan = json_result({"inspect", "--json", "--plan", "4"});
  // All tensors but the two engram tables, which are read row by row.
  EXPECT_LT(plan["weight_bytes"], 7880452);
  EXPECT_GT(plan["weight_bytes"], 6000000);
  EXPECT_LT(plan["arena_bytes"], plan["unshared_bytes"]);
  EXPECT_GT(plan["kv_bytes"], 0);
  EXPECT_EQ(call({"inspect", "--plan", "200"}).exit_code, 2);  // the prefill bucket has 128
}

TEST(CliCheck, AcceptsTheFixturesAndNamesFaults) {
  EXPECT_EQ(call({"check"}).out, "ok\n");
  EXPECT_EQ(call({"check", "--deep", "-m", kT41}).out, "ok\n");
  EXPECT_EQ(call({"check", kT41}).out, "ok\n");
  const TemporaryFolder folder;
  std::filesystem::copy(kT41, folder.file("copy"));
  std::filesystem::resize_file(folder.file("copy/model-00003-of-00013.safetensors"), 1000);
  const ProgramResult bad = call({"check", folder.file("copy")});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(bad.err, "");
  EXPECT_NE(bad.out.find("model-00003-of-00013.safetensors"), std::string::npos) << bad.out;
  EXPECT_EQ(bad.out.substr(bad.out.size() - 8), " faults\n");
}

TEST(CliCheck, NamesFaultsThatOnlyShowWithTheTokenizer) {
  const TemporaryFolder folder;
  const std::string copy = folder.file("copy");
  std::filesystem::copy(kT41, copy);
  std::filesystem::remove(copy + "/tokenizer.json");
  const ProgramResult missing = call({"check", copy});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.out.find("tokenizer.json"), std::string::npos) << missing.out;
  // Another model's tokenizer compresses to another number of ids, or has too many.
  std::filesystem::copy("tests/data/t41-odd/tokenizer.json", copy + "/tokenizer.json");
  const ProgramResult foreign = call({"check", copy});
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_NE(foreign.out.find("config says 499"), std::string::npos) << foreign.out;
}

TEST(CliTokenize, GoesThereAndBack) {
  const std::string text = "Curiouser and\ncuriouser — 3 times!";
  const ProgramResult ids = call({"tokenize", text});
  EXPECT_EQ(ids.exit_code, 0);
  EXPECT_TRUE(Json::parse(ids.out).is_array());
  EXPECT_EQ(call({"tokenize", "-"}, text).out, ids.out);
  EXPECT_EQ(call({"tokenize", "--decode"}, ids.out).out, text);
  EXPECT_EQ(call({"tokenize", "--decode", ids.out}).out, text);
  EXPECT_NE(call({"tokenize", "run"}).out, "");  // also the name of a command
}

TEST(CliTokenize, AddedTokensMayBeText) {
  EXPECT_EQ(call({"tokenize", "<｜begin▁of▁sentence｜>"}).out, "[0]\n");
  EXPECT_GT(Json::parse(call({"tokenize", "--plain", "<｜begin▁of▁sentence｜>"}).out).size(), 3U);
}

TEST(CliTokenize, ShowsPieces) {
  const Json pieces = json_result({"tokenize", "--pieces", "hello<｜User｜>"});
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[0], (Json{{"id", 259}, {"piece", "he"}, {"text", "he"}, {"added", false}}));
  EXPECT_EQ(pieces[3]["added"], true);
}

TEST(CliTokenize, EncodesAConversation) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "chat.json",
      R"({"messages": [{"role": "user", "content": "Hello!"}], "thinking_mode": "chat"})");
  const ProgramResult ids = call({"tokenize", "--chat", file});
  EXPECT_EQ(ids.exit_code, 0) << ids.err;
  EXPECT_EQ(call({"tokenize", "--decode", ids.out}).out,
            "<｜begin▁of▁sentence｜><｜User｜>Hello!<｜Assistant｜></think>");
  EXPECT_EQ(call({"tokenize", "--chat", folder.write("bad.json", "[{")}).exit_code, 2);
}

}  // namespace
}  // namespace deepinfer
