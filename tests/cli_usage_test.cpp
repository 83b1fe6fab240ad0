// Wrong use of the program: the exit code is 2, stderr is one line that names what was wrong,
// stdout is empty.

#include <gtest/gtest.h>

#include "tests/support/cli.h"

namespace deepinfer {
namespace {

void expect_refused(const Arguments& arguments, const std::string& message,
                    const std::string& input = {}) {
  const ProgramResult result = call(arguments, input);
  EXPECT_EQ(result.exit_code, 2) << message;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.error_lines(), 1) << result.err;
  EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
}

TEST(CliUsage, VersionAndHelp) {
  EXPECT_EQ(call({"--version"}).out.substr(0, 10), "deepinfer ");
  const ProgramResult help = call({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command :
       {"run", "chat", "logits", "eval", "bench", "inspect", "check", "tokenize"}) {
    EXPECT_NE(help.out.find(std::string("\n  ") + command), std::string::npos) << command;
    const ProgramResult own = call({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_NE(own.out.find(std::string("deepinfer ") + command), std::string::npos) << own.out;
    EXPECT_NE(own.out.find("--model"), std::string::npos);
  }
  const ProgramResult run = call({"run", "--help"});
  for (const char* text : {"--max-batch", "DEEPINFER_KV_MEMORY", "block_major or layer_major"})
    EXPECT_NE(run.out.find(text), std::string::npos) << text;
}

TEST(CliUsage, CommandsAndFlags) {
  expect_refused({}, "no command");
  expect_refused({"walk"}, "walk");
  expect_refused({"run", "--frobnicate"}, "--frobnicate");
  expect_refused({"run", "--max-batch"}, "--max-batch");
  expect_refused({"run", "--max-batch", "few", "-p", "a"}, "--max-batch");
#ifdef DEEPINFER_PJRT
  expect_refused({"run", "--backend", "pjrt", "-p", "a"}, "[--pjrt-plugin] is needed");
#else
  expect_refused({"run", "--backend", "pjrt", "-p", "a"}, "[--backend] not supported");
#endif
  expect_refused({"check", "--threads", "2"}, "--threads");
}

TEST(CliUsage, AVariableIsNamedIfItIsReadOnly) {
  const ProgramCall bad{.arguments = {"run", "-p", "a"},
                        .environment = {{"DEEPINFER_THREADS", "many"}}};
  const ProgramResult run = run_program(DEEPINFER_PROGRAM, bad);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.error_lines(), 1);
  EXPECT_NE(run.err.find("[DEEPINFER_THREADS]"), std::string::npos) << run.err;
  ProgramCall check = bad;  // has no threads
  check.arguments = {"check"};
  EXPECT_EQ(run_program(DEEPINFER_PROGRAM, check).out, "ok\n");
}

TEST(CliUsage, PromptSources) {
  expect_refused({"run", "-p", "a", "-f", "b"}, "more than one source");
  expect_refused({"run", "-p", "a", "-"}, "more than one source", "b");
  expect_refused({"run", "words"}, "\"words\"");
  expect_refused({"run", "--tokens", "1,2", "--chat"}, "--chat");
  expect_refused({"run", "-f", "no/such/file"}, "no/such/file");
  expect_refused({"run", "-f", "tests"}, "Is a directory");
  expect_refused({"run", "-m", "no/such/model", "-p", "a"}, "no/such/model");
}

TEST(CliUsage, TokenLists) {
  expect_refused({"run", "-m", kT41, "--tokens", "1,x"}, "\"x\"");
  expect_refused({"run", "-m", kT41, "--tokens", "1,"}, "last comma");
  expect_refused({"run", "-m", kT41, "--tokens", "[1,2"}, "bracket");
  expect_refused({"run", "-m", kT41, "--tokens", "1,-2"}, "-2");
  expect_refused(quick({"run", "-m", kT41, "--tokens", "5,99999"}), "got 99999");
  expect_refused(quick({"run", "-m", kT41, "--tokens", ""}), "empty");
  expect_refused({"logits", "-m", kT41, "--tokens", "5,99999"}, "[--tokens[1]]");
  expect_refused({"logits", "-m", kT41, "--tokens", "1", "--tokens-file", "x"}, "twice");
  expect_refused(quick({"logits", "-m", kT41, "--tokens", "1,2,3", "--chunks", "1,1"}),
                 "expected 3, got 2");
  expect_refused({"tokenize", "--decode", "7,99999"}, "[--decode[1]]");
}

TEST(CliUsage, APromptBeyondTheContextNamesBothNumbers) {
  Arguments arguments = quick({"run", "-m", kT41, "--tokens", "1,2,3,4,5", "--max-context", "4"});
  expect_refused(arguments, "at most 3 tokens, got 5");
  arguments[0] = "logits";
  expect_refused(arguments, "at most 4 tokens, got 5");
  expect_refused(quick({"run", "-m", kT41, "--tokens", "1,2", "--max-context", "16", "-n", "50"}),
                 "2 + 50");
}

TEST(CliUsage, OptionsWithoutEffectAreRefused) {
  for (const char* command : {"logits", "eval"}) {
    expect_refused({command, "--temperature", "0.5"}, "[--temperature] has no effect");
    expect_refused({command, "--seed", "1"}, "[--seed] has no effect");
    expect_refused({command, "--stop", "x"}, "[--stop] has no effect");
  }
  expect_refused({"inspect", "--after", "plan"}, "--after");
  expect_refused({"inspect", "--graph", "2", "--after", "lunch"}, "lunch");
  expect_refused({"tokenize", "--decode", "--plain", "1"}, "--plain");
}

TEST(CliUsage, CaseFiles) {
  const auto refuse = [](const std::string& json, const std::string& message) {
    expect_refused({"eval", "-m", kT41, "--cases", "-"}, message, json);
  };
  refuse("", "is no JSON");
  refuse("[{]", "is no JSON");
  refuse("{}", "is no list");
  refuse("[1]", "[stdin[0]] is no case");
  refuse("[]", "has no cases");
  refuse(R"([{"expect": "", "tokens": [1]}])", "[stdin[0].expect] is empty");
  refuse(R"([{"prompt": "a"}])", "[stdin[0].expect]");
  refuse(R"([{"expect": "a"}])", "`prompt` or `tokens`");
  refuse(R"([{"expect": "a", "prompt": 3}])", "[stdin[0].prompt]");
  refuse(R"([{"expect": "a", "tokens": [1, "x"]}])", "tokens[1]");
  refuse(R"([{"expect": "a", "tokens": [1, 2.5]}])", "tokens[1]");
  refuse(R"([{"expect": "a", "tokens": [99999999999999999999]}])", "tokens[0]");
  expect_refused({"eval", "-m", kT41, "--cases", "no/such/file"}, "no/such/file");
  expect_refused({"eval", "-m", kT41}, "eval.json");
  expect_refused(quick({"eval", "-m", kT41, "--cases", "-"}), "[stdin[1].tokens[0]]",
                 R"([{"expect": "a", "tokens": [1]}, {"expect": "a", "tokens": [99999]}])");
}

TEST(CliUsage, EveryCommandAnswersWithTheModelAlone) {
  for (const char* command : {"run", "chat", "logits", "inspect", "check", "tokenize"}) {
    const ProgramResult result = call({command, "-m", kT41});
    EXPECT_EQ(result.exit_code, 0) << command << result.err;
  }
  const ProgramResult eval =
      call({"eval", "-m", kT41, "--cases", "-"}, R"([{"expect": "never", "tokens": [1]}])");
  EXPECT_EQ(eval.exit_code, 0);
  EXPECT_NE(eval.out.find("0/1 correct\n"), std::string::npos) << eval.out;
}

}  // namespace
}  // namespace deepinfer
