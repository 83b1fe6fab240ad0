// --region-timing and --trace-file of the program.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>

#include "tests/support/cli.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

ProgramCall observed_call(Arguments arguments) {
  return {.arguments = quick(std::move(arguments))};
}

/// Twelve steps of a tiny model: eleven tokens are decoded after the prompt.
Arguments twelve_steps(const Arguments& extra) {
  Arguments arguments = {"run", "-m", "tests/data/t41", "--tokens", "375,4", "-n", "12"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return arguments;
}

int lines_like(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);)
    count += std::regex_search(line, expression) ? 1 : 0;
  return count;
}

Json json_file(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

constexpr const char* kStepLine =
    R"(^step rows=\d+: \d+\.\d ms, regions \d+\.\d ms \(attn\.1 \d+x \d+\.\d\d ms, .*\), )"
    R"(outside regions \d+\.\d ms, copy \d+\.\d{3} ms$)";

TEST(CliObservation, RegionTimingSaysALinePerStepAndOneProfile) {
  for (const char* mode : {"eager", "whole", "regions"}) {
    const ProgramResult result = run_program(
        DEEPINFER_PROGRAM, observed_call(twelve_steps({"--region-timing", "--graph-mode", mode})));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_like(result.err, kStepLine), 12) << result.err;
    EXPECT_EQ(lines_like(result.err, "^profile of step 8 "), 1) << result.err;
    EXPECT_EQ(lines_like(result.err, R"(^(model|embedding|head|layers\.\S+) .*%$)"), 40)
        << result.err;
  }
}

TEST(CliObservation, WithoutTheFlagNothingIsSaidAndTheAnswerIsTheSame) {
  const ProgramResult plain = run_program(DEEPINFER_PROGRAM, observed_call(twelve_steps({})));
  const ProgramResult timed =
      run_program(DEEPINFER_PROGRAM, observed_call(twelve_steps({"--region-timing"})));
  EXPECT_EQ(plain.out, timed.out);
  EXPECT_EQ(lines_like(plain.err, "^(step|profile|trace|no profile)"), 0) << plain.err;
}

TEST(CliObservation, BothVariablesTurnItOn) {
  for (const char* name : {"DEEPINFER_REGION_TIMING", "DEEPINFER_NEURON_REGION_TIMING"}) {
    ProgramCall timed = observed_call(twelve_steps({}));
    timed.environment = {{name, "1"}};
    EXPECT_EQ(lines_like(run_program(DEEPINFER_PROGRAM, timed).err, kStepLine), 12) << name;
  }
}

TEST(CliObservation, AShortRunSaysWhyThereIsNoProfile) {
  const ProgramResult result = run_program(
      DEEPINFER_PROGRAM, observed_call({"run", "-m", "tests/data/t41", "--tokens", "375", "-n", "2",
                                        "--region-timing", "--json"}));
  EXPECT_EQ(lines_like(result.err, "^no profile: the run ended before step 8$"), 1) << result.err;
  EXPECT_TRUE(Json::parse(result.out)["profile"].is_null());
}

TEST(CliObservation, JsonCarriesTimingsAndProfile) {
  const Json json = Json::parse(
      run_program(DEEPINFER_PROGRAM, observed_call(twelve_steps({"--region-timing", "--json"})))
          .out);
  ASSERT_EQ(json["region_timings"].size(), 12U);
  for (const Json& step : json["region_timings"]) {
    EXPECT_NEAR(step["regions_ms"].get<double>() + step["outside_ms"].get<double>(),
                step["total_ms"].get<double>(), 1e-9);
    EXPECT_GT(step["copy_ms"], 0);
    EXPECT_GT(step["regions"].size(), 1U);
  }
  EXPECT_EQ(json["region_timings"][7]["step"], 8);
  EXPECT_EQ(json["profile"]["step"], 8);
  ASSERT_EQ(json["profile"]["ops"].size(), 40U);
  for (const char* field :
       {"place", "op", "ms", "bytes", "gb_per_s", "flops", "gflop_per_s", "share"})
    EXPECT_TRUE(json["profile"]["ops"][0].contains(field)) << field;
  const Json plain =
      Json::parse(run_program(DEEPINFER_PROGRAM, observed_call(twelve_steps({"--json"}))).out);
  EXPECT_FALSE(plain.contains("region_timings"));
}

TEST(CliObservation, EvalLogitsAndChatAreWatchedToo) {
  const TemporaryFolder folder;
  const std::string cases =
      folder.write("cases.json", R"([{"id": "a", "tokens": [375, 4], "expect": "xxxxxxxxxxxx"}])");
  const ProgramResult eval =
      run_program(DEEPINFER_PROGRAM, observed_call({"eval", "-m", "tests/data/t41", "--cases",
                                                    cases, "--region-timing", "--json"}));
  EXPECT_GE(Json::parse(eval.out)["region_timings"].size(), 1U) << eval.err;

  const std::string trace = folder.file("logits-trace.json");
  const ProgramResult logits =
      run_program(DEEPINFER_PROGRAM,
                  observed_call({"logits", "-m", "tests/data/t41", "--tokens", "375,4", "--chunks",
                                 "1,1", "--region-timing", "--trace-file", trace}));
  EXPECT_EQ(lines_like(logits.err, kStepLine), 2) << logits.err;
  EXPECT_GT(json_file(trace)["traceEvents"].size(), 100U);

  ProgramCall chat = observed_call({"chat", "-n", "9", "--region-timing"});
  chat.input = "Hello\n";
  EXPECT_GE(lines_like(run_program(DEEPINFER_PROGRAM, chat).err, kStepLine), 5);
}

TEST(CliObservation, TheTraceHoldsTheFirstSteps) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trace.json");
  const auto steps_of = [&](const Arguments& extra) {
    Arguments arguments = twelve_steps({"--trace-file", path});
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const ProgramResult result = run_program(DEEPINFER_PROGRAM, observed_call(arguments));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<int> steps;
    const Json trace = json_file(path);
    for (const Json& event : trace["traceEvents"])
      if (event.value("cat", "") == "step") steps.push_back(event["args"]["step"]);
    return steps;
  };
  EXPECT_EQ(steps_of({"--trace-steps", "2"}), (std::vector<int>{1, 2}));
  EXPECT_EQ(steps_of({}).size(), 12U);
}

TEST(CliObservation, ATraceThatDoesNotFitLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trace.json");
  ProgramCall full = observed_call(twelve_steps({"--trace-file", path}));
  full.file_size_limit = 10'000;
  const ProgramResult result = run_program(DEEPINFER_PROGRAM, full);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("[--trace-file] cannot write the file"), std::string::npos)
      << result.err;
  EXPECT_TRUE(folder.empty());
}

TEST(CliObservation, AnImpossibleTraceFileIsRefusedBeforeTheModelIsOpened) {
  const ProgramResult result =
      run_program(DEEPINFER_PROGRAM,
                  observed_call(twelve_steps({"--trace-file", "no/such/folder/trace.json"})));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.error_lines(), 1) << result.err;
  EXPECT_NE(result.err.find("[--trace-file] "), std::string::npos) << result.err;
  const ProgramResult idle =
      run_program(DEEPINFER_PROGRAM, {.arguments = twelve_steps({"--trace-steps", "3"})});
  EXPECT_NE(idle.err.find("warning: [--trace-steps] has no effect without --trace-file"),
            std::string::npos)
      << idle.err;
}

}  // namespace
}  // namespace deepinfer
