// What the program says when something is wrong or without effect: where, what, what was expected
// and what was found; never raw bytes of a stranger's file on the terminal.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/cli.h"

namespace deepinfer {
namespace {

constexpr std::size_t kLongestMessage = 2000;  // 400 bytes of one part, each as \xNN, and words

/// Exit code 2, one line that holds all of `pieces`.
void expect_refused(const Arguments& arguments, const Arguments& pieces,
                    const std::string& input = {}) {
  const ProgramResult result = call(arguments, input);
  EXPECT_EQ(result.exit_code, 2) << pieces.front() << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.error_lines(), 1) << result.err;
  for (const std::string& piece : pieces)
    EXPECT_NE(result.err.find(piece), std::string::npos) << piece << " is not in " << result.err;
}

TEST(CliMessages, ZeroIsNotAuto) {
  for (const std::string flag : {"--threads", "--max-context", "--kv-memory"})
    expect_refused({"run", "-m", kT41, "-p", "a", flag, "0"},
                   {"[" + flag + "] out of range, expected auto or ", ", got \"0\""});
}

TEST(CliMessages, MissingFilesSayWhatWasExpectedAndFound) {
  const TemporaryFolder folder;
  const std::string none = folder.file("none");
  expect_refused({"run", "-m", none, "-p", "a"},
                 {"[" + none + "] ", "expected a directory with config.json",
                  "got No such file or directory"});
  const std::string file = folder.write("file", "");
  expect_refused({"run", "-m", file, "-p", "a"},
                 {"[" + file + "] ", "expected a directory with config.json", "got a file"});
  std::filesystem::create_directory(folder.file("bare"));
  expect_refused({"run", "-m", folder.file("bare"), "-p", "a"},
                 {"[" + folder.file("bare") + "/config.json] cannot open the file, expected ",
                  "got No such file or directory"});
  const std::string copy = folder.file("copy");
  std::filesystem::copy(kT41, copy);
  std::filesystem::remove(copy + "/tokenizer.json");
  expect_refused({"run", "-m", copy, "-p", "a"},
                 {"[" + copy + "/tokenizer.json] ", "expected a tokenizer.json",
                  "got No such file or directory", "a model directory holds"});
  expect_refused({"eval", "-m", kT41, "--cases", none},
                 {"[--cases] cannot read the file, expected a readable file", "got '" + none,
                  "- reads stdin"});
  expect_refused({"eval", "-m", kT41}, {"eval.json", "--cases names another file"});
  expect_refused({"logits", "-m", kT41, "--tokens-file", none},
                 {"[--tokens-file] cannot read the file, expected a readable file", "got '" + none,
                  "- reads stdin"});
}

TEST(CliMessages, ChunksAreNoTokenIds) {
  expect_refused({"logits", "-m", kT41, "--chunks", "a"},
                 {"[--chunks] not a whole number, expected chunk sizes such as 3,4,1, got \"a\""});
  expect_refused({"logits", "-m", kT41, "--chunks", "3,"}, {"[--chunks]", "expected chunk sizes"});
}

TEST(CliMessages, AValueInsideAFileNamesTheFile) {
  const TemporaryFolder folder;
  const std::string bad = folder.write("ids", "1 x");
  expect_refused({"logits", "-m", kT41, "--tokens-file", bad},
                 {"[" + bad + "] not a whole number, expected token ids", "got \"x\""});
  const std::string large = folder.write("large", "1 99999");
  expect_refused({"logits", "-m", kT41, "--tokens-file", large},
                 {"[" + large + "[1]] token id is out of range"});
  expect_refused({"logits", "-m", kT41, "--tokens-file", folder.write("empty", "\n")},
                 {"[" + folder.file("empty") + "] the list is empty"});
  expect_refused({"tokenize", "--decode", "-f", bad}, {"[" + bad + "] not a whole number"});
  expect_refused({"logits", "-m", kT41, "--tokens-file", "-"}, {"[stdin] not a whole number"}, "y");
  expect_refused({"tokenize", "--decode"}, {"[stdin] not a whole number"}, "y");
  expect_refused({"tokenize", "--chat", "-"}, {"[stdin"}, "[{");
  expect_refused({"eval", "-m", kT41, "--cases", "-"}, {"[stdin] is no JSON"}, "[{");
  expect_refused({"eval", "-m", kT41, "--cases", "-"}, {"[stdin[0].expect]"}, "[{}]");
}

TEST(CliMessages, AnUnknownCommandIsToldWhichThereAre) {
  for (const std::string name : {"walk", "", "RUN"})
    expect_refused({name},
                   {"[deepinfer] unknown command, expected run, chat, logits, eval, bench, ",
                    "inspect, check, tokenize, got \"" + name + "\", see deepinfer --help"});
}

/// No byte a terminal could take for a command, and nothing that is no UTF-8: all of it is ASCII
/// but the sign of a cut.
void expect_harmless(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.error_lines(), 1);
  EXPECT_LE(result.err.size(), kLongestMessage);
  std::string text = result.err;
  for (std::size_t cut = 0; (cut = text.find("…")) != std::string::npos;) text.erase(cut, 3);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << text;
}

TEST(CliMessages, ForeignBytesAreEscapedAndCut) {
  // An escape sequence, broken UTF-8, a C1 control sequence introducer, a text direction override.
  const std::string garbage = "\x1b[31m\xff\xfe\xc3 \xc2\x9b\x31m \xe2\x80\xae";
  const std::string shown = R"(\x1b[31m\xff\xfe\xc3 \xc2\x9b1m \xe2\x80\xae)";
  const TemporaryFolder folder;
  const std::string path = "no/" + garbage;
  for (const Arguments& arguments :
       {Arguments{garbage}, Arguments{"run", garbage}, Arguments{"run", "--" + garbage},
        Arguments{"run", "-p", "a", "--isa", garbage}, Arguments{"run", "-m", path, "-p", "a"},
        Arguments{"run", "-f", path}, Arguments{"logits", "-m", kT41, "--tokens", garbage},
        Arguments{"logits", "-m", kT41, "--tokens-file", folder.write("garbage", garbage)}}) {
    const ProgramResult result = call(arguments);
    expect_harmless(result);
    // A list of ids ends its first word at the blank.
    EXPECT_NE(result.err.find(shown.substr(0, 17)), std::string::npos) << result.err;
  }
  const std::string endless(100000, '\xfe');
  for (const Arguments& arguments :
       {Arguments{endless}, Arguments{"run", endless}, Arguments{"run", "--" + endless},
        Arguments{"run", "-p", "a", "--isa", endless}, Arguments{"run", "-m", endless, "-p", "a"},
        Arguments{"logits", "-m", kT41, "--tokens-file", folder.write("endless", endless)}})
    expect_harmless(call(arguments));
}

TEST(CliMessages, WhatACheckpointHoldsIsEscaped) {
  const TemporaryFolder folder;
  const std::string copy = folder.file("copy");
  std::filesystem::create_directory(copy);
  folder.write("copy/config.json", R"({"model_type": "\u001b[2Jwrong\u009b1m"})");
  expect_harmless(call({"run", "-m", copy, "-p", "a"}));
  const ProgramResult check = call({"check", copy});
  EXPECT_NE(check.out.find(R"(\x1b[2Jwrong\xc2\x9b1m)"), std::string::npos) << check.out;
}

TEST(CliMessages, H13_inspect_refuses_sampling_options_it_does_not_show) {
  expect_refused({"inspect", "--temperature", "0.5"}, {"[--temperature] has no effect"});
  expect_refused({"inspect", "--config", "--stop", "x"}, {"[--stop] has no effect"});
  expect_refused({"check", "--top-k", "3"}, {"--top-k"});
  expect_refused({"tokenize", "--top-k", "3"}, {"--top-k"});
  const ProgramResult shown = call({"inspect", "--options", "--temperature", "0.5"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.err, "");
  EXPECT_NE(shown.out.find("0.5"), std::string::npos);
}

/// The run succeeds, and stderr names `flag` as without effect exactly if `idle`.
void expect_idle(const Arguments& arguments, const std::string& flag, bool idle = true) {
  const ProgramResult result = call(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.find("warning: [" + flag + "] has no effect") != std::string::npos, idle)
      << flag << ": " << result.err;
}

TEST(CliMessages, H13_inspect_says_which_options_its_sections_do_not_use) {
  expect_idle({"inspect", "-m", kT41, "--config", "--threads", "2"}, "--threads");
  expect_idle({"inspect", "-m", kT41, "--caches", "--isa", "scalar"}, "--isa");
  expect_idle({"inspect", "-m", kT41, "--graph", "1", "--backend", "reference"}, "--backend");
  expect_idle({"inspect", "-m", kT41, "--plan", "1", "--engram", "disk"}, "--engram");
  expect_idle({"inspect", "-m", kT41, "--machine", "--max-batch", "2"}, "--max-batch");
  expect_idle({"inspect", "-m", kT41, "--plan", "1", "--threads", "2"}, "--threads", false);
  expect_idle({"inspect", "-m", kT41, "--caches", "--layout", "layer_major"}, "--layout", false);
  expect_idle({"inspect", "-m", kT41, "--graph", "1", "--after", "plan", "--isa", "scalar"},
              "--isa", false);
  expect_idle({"inspect", "--options", "--config", "--threads", "2"}, "--threads", false);
  expect_idle({"inspect", "--config", "--threads", "2", "--log-level", "error"}, "--threads",
              false);
}

TEST(CliMessages, H13_the_reference_backend_has_no_threads_and_no_kernel_sets) {
  Arguments arguments = quick({"run", "-m", kT41, "--tokens", "1,2", "-n", "2", "--threads", "2",
                               "--isa", "scalar", "--backend", "reference"});
  arguments.back() = "warning";  // the log level
  expect_idle(arguments, "--threads");
  expect_idle(arguments, "--isa");
  *std::find(arguments.begin(), arguments.end(), "reference") = "cpu";
  expect_idle(arguments, "--threads", false);
  expect_idle(arguments, "--isa", false);
}

TEST(CliMessages, H13_sampling_options_do_nothing_at_temperature_0) {
  Arguments arguments = quick({"run", "-m", kT41, "--tokens", "1,2", "-n", "2", "--top-p", "0.5"});
  arguments.back() = "warning";
  expect_idle(arguments, "--top-p");
  arguments.insert(arguments.end(), {"--temperature", "1"});
  expect_idle(arguments, "--top-p", false);
}

TEST(CliMessages, EvalRefusesTokensThatAreNotThePrompt) {
  const auto eval = [](const std::string& json) {
    return call(quick({"eval", "--cases", "-"}), json);
  };
  // The bundled model's ids of the text, with and without the beginning of the sequence.
  std::string ids = call({"tokenize", "hello there"}).out;
  ids.pop_back();
  const std::string rest = R"(, "prompt": "hello there", "expect": "x"}])";
  EXPECT_EQ(eval(R"([{"tokens": )" + ids + rest).exit_code, 0);
  EXPECT_EQ(eval(R"([{"tokens": [0, )" + ids.substr(1) + rest).exit_code, 0);
  const ProgramResult other = eval(R"([{"tokens": [5, 6])" + rest);
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.error_lines(), 1);
  EXPECT_NE(other.err.find("[stdin[0].tokens] are not the prompt's tokens, expected "),
            std::string::npos)
      << other.err;
  EXPECT_NE(other.err.find(" tokens, 0 at index 0, got 2 tokens, 5 at index 0"), std::string::npos)
      << other.err;
  EXPECT_EQ(eval(R"([{"tokens": [5], "prompt": 7, "expect": "x"}])").exit_code, 2);
}

}  // namespace
}  // namespace deepinfer
