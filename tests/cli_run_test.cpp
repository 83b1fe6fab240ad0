// `deepinfer run`, `chat` and `eval` with the bundled model.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cli.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

constexpr const char* kPrompt = "Alice was beginning to get very tired of";
constexpr const char* kAnswer =
    " sitting by her sister on the bank, and of having nothing to do: once or twice she had peeped "
    "into the book her sister was reading, but it had no pictures or conversations in it.";

std::string answer(Arguments arguments) {
  const ProgramResult result = call(quick(std::move(arguments)));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

Json json_answer(Arguments arguments) {
  arguments.emplace_back("--json");
  return Json::parse(answer(std::move(arguments)));
}

TEST(CliRun, EverySourceOfAPromptGivesTheSameAnswer) {
  const TemporaryFolder folder;
  const std::string file = folder.write("prompt.txt", kPrompt);
  EXPECT_EQ(answer({"run", "-p", kPrompt}), kAnswer);
  EXPECT_EQ(answer({"run", "-f", file}), kAnswer);
  EXPECT_EQ(call(quick({"run", "-"}), kPrompt).out, kAnswer);
  EXPECT_EQ(call(quick({"run"}), kPrompt).out, kAnswer);
  // The text may spell its first token itself.
  EXPECT_EQ(answer({"run", "-p", std::string("<｜begin▁of▁sentence｜>") + kPrompt}), kAnswer);
  const std::string ids = call({"tokenize", kPrompt}).out;
  EXPECT_EQ(answer({"run", "--tokens", "0, " + ids.substr(1, ids.size() - 3)}), kAnswer);
}

TEST(CliRun, TheFirstTokenMayBeLeftOut) {
  const int with = json_answer({"run", "-p", kPrompt, "-n", "1"})["prompt_tokens"];
  const int without = json_answer({"run", "-p", kPrompt, "-n", "1", "--no-bos"})["prompt_tokens"];
  EXPECT_EQ(with, without + 1);
}

TEST(CliRun, JsonHoldsWhatHappened) {
  const Json json = json_answer({"run", "-p", kPrompt});
  EXPECT_EQ(json["text"], kAnswer);
  EXPECT_EQ(json["finish_reason"], "stop");
  EXPECT_EQ(json["tokens"].back(), 1);  // end of sequence
  EXPECT_EQ(json["prompt_tokens"], 9);
  const Json& timings = json["timings"];
  EXPECT_EQ(timings["prefill_steps"], 1);
  EXPECT_EQ(timings["steps"], json["tokens"].size());
  for (const char* name : {"load_ms", "capture_ms", "prefill_ms", "decode_ms",
                           "prefill_tokens_per_s", "decode_tokens_per_s"})
    EXPECT_GT(timings[name].get<double>(), 0) << name;
  ASSERT_EQ(json["graphs"].size(), 3U);
  EXPECT_EQ(json["graphs"][2]["kind"], "prefill");
  EXPECT_EQ(json["graphs"][2]["replays"], 1);
}

TEST(CliRun, OptionsTakeEffect) {
  EXPECT_EQ(json_answer({"run", "-p", kPrompt, "-n", "3"})["tokens"].size(), 3U);
  EXPECT_EQ(json_answer({"run", "-p", kPrompt, "-n", "3"})["finish_reason"], "length");
  EXPECT_EQ(answer({"run", "-p", kPrompt, "--stop", "nothing", "--stop", "on the"}),
            " sitting by her sister ");
  const Arguments hot = {"run", "-p", "The", "-n", "12", "--temperature", "5", "--seed"};
  const auto with_seed = [&](const char* seed) {
    Arguments arguments = hot;
    arguments.emplace_back(seed);
    return json_answer(arguments)["tokens"];
  };
  EXPECT_EQ(with_seed("7"), with_seed("7"));
  EXPECT_NE(with_seed("7"), with_seed("8"));
  const Json steps = json_answer({"run", "-p", kPrompt, "-n", "1", "--prefill-bucket", "4"});
  EXPECT_EQ(steps["timings"]["prefill_steps"], 1);  // quick() comes later, and the last one counts
}

TEST(CliRun, WhatRunsTheModelDoesNotChangeTheAnswer) {
  for (const Arguments& extra :
       {Arguments{"--backend", "reference"}, Arguments{"--graph-mode", "eager"},
        Arguments{"--input-on-device"}, Arguments{"--layout", "layer_major"},
        Arguments{"--engram", "disk"}, Arguments{"--threads", "1"}, Arguments{"--isa", "scalar"},
        Arguments{"--block-tokens", "16"}, Arguments{"--max-context", "128"}}) {
    Arguments arguments = {"run", "-p", kPrompt};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    EXPECT_EQ(answer(arguments), kAnswer) << extra.front();
  }
}

TEST(CliRun, AVariableActsAndAFlagWins) {
  const auto tokens = [](const Arguments& extra) {
    Arguments arguments = {"inspect", "--options", "--json"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return Json::parse(
        run_program(DEEPINFER_PROGRAM, {.arguments = arguments,
                                        .environment = {{"DEEPINFER_MAX_BATCH", "3"},
                                                        {"DEEPINFER_NEURON_PREFILL_BUCKET", "64"}}})
            .out);
  };
  EXPECT_EQ(tokens({})["max-batch"], (Json{{"value", "3"}, {"source", "DEEPINFER_MAX_BATCH"}}));
  EXPECT_EQ(tokens({})["prefill-bucket"]["value"], "64");
  EXPECT_EQ(tokens({"--max-batch", "5"})["max-batch"], (Json{{"value", "5"}, {"source", "flag"}}));
}

TEST(CliRun, TheChatEncodingIsApplied) {
  const std::string text = answer({"run", "--chat", "-p", "Who are you?"});
  EXPECT_NE(text.find("</think>I am DeepInfer-V4.1-tiny"), std::string::npos) << text;
}

TEST(CliRun, TheStartTableGoesToStderr) {
  const ProgramResult result = call({"run", "-p", kPrompt, "--max-batch", "2"});
  EXPECT_EQ(result.out, kAnswer);
  for (const char* text : {"compile ms", "prefill", "KV buffer", "3 graphs", "tokens in"})
    EXPECT_NE(result.err.find(text), std::string::npos) << text;
  EXPECT_EQ(result.err.find('\r'), std::string::npos);  // no progress bar in a pipe
}

TEST(CliRun, AnInterruptStopsTheAnswer) {
  const ProgramResult result = run_program(
      DEEPINFER_PROGRAM, {.arguments = quick({"run", "-m", "tests/data/t41", "--tokens", "375",
                                              "-n", "2000", "--backend", "reference"}),
                          .interrupt_at_output = true});
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_FALSE(result.out.empty());
}

TEST(CliRun, AClosedPipeEndsItQuietly) {
  const ProgramResult result = run_program(
      DEEPINFER_PROGRAM,
      {.arguments = quick({"run", "-m", "tests/data/t41", "--tokens", "375", "-n", "500"}),
       .close_at_output = true});
  EXPECT_EQ(result.exit_code, 141);
  EXPECT_EQ(result.err, "");
}

TEST(CliRun, AFullDiskIsAFailure) {
  const ProgramResult result = run_program(
      DEEPINFER_PROGRAM, {.arguments = quick({"run", "-p", "a"}), .stdout_path = "/dev/full"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "[stdout] cannot write, got No space left on device\n");
}

TEST(CliChat, HoldsAConversation) {
  const ProgramResult result =
      call(quick({"chat"}), "Hello!\n/think off\nWho are you?\n/nonsense\n/stats\n/quit\nmore\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("<think>\n"), 0U) << result.out;
  EXPECT_NE(result.out.find("\n</think>\nHello! How can I help you today?\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("\nI am DeepInfer-V4.1-tiny"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("/nonsense"), std::string::npos);
  EXPECT_NE(result.err.find("prompt tokens in"), std::string::npos);
}

TEST(CliChat, RemembersUntilReset) {
  const std::string facts = "The secret word of Tom is river.\n";
  const auto prompt_tokens = [&](const std::string& between) {
    const std::string err =
        call(quick({"chat", "--think", "off"}), facts + between + "Who are you?\n/stats\n").err;
    const auto end = err.find(" prompt tokens in");
    EXPECT_NE(end, std::string::npos) << err;
    return std::stoi(
        err.substr(err.rfind('\n', end) == std::string::npos ? 0 : err.rfind('\n', end)));
  };
  EXPECT_GT(prompt_tokens(""), prompt_tokens("/reset\n") + 10);
}

TEST(CliChat, AnInterruptStopsTheAnswerOnly) {
  const ProgramResult result =
      run_program(DEEPINFER_PROGRAM, {.arguments = quick({"chat", "--backend", "reference"}),
                                      .input = "Hello!\n/think off\nWho are you?\n",
                                      .interrupt_at_output = true});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("(stopped)"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("I am DeepInfer-V4.1-tiny"), std::string::npos) << result.out;
}

TEST(CliChat, AMessageThatDoesNotFitIsForgotten) {
  const ProgramResult result =
      call(quick({"chat", "--think", "off", "--max-context", "24"}),
           "one two three four five six seven eight nine ten eleven twelve thirteen\nHello!\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("longer than the context"), std::string::npos) << result.err;
  EXPECT_EQ(result.out.find("Hello!"), 0U) << result.out;
}

TEST(CliEval, CountsTheBundledCases) {
  const ProgramResult result = call({"eval", "--log-level", "error"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("\n18/18 correct\n"), std::string::npos) << result.out;
}

TEST(CliEval, SaysWhichCasesAreWrong) {
  const Json cases = {{{"id", "right"}, {"prompt", kPrompt}, {"expect", " sitting by"}},
                      {{"prompt", kPrompt}, {"expect", " standing"}},
                      {{"id", "end"},
                       {"prompt", kPrompt},
                       {"expect", std::string(kAnswer) + "<｜end▁of▁sentence｜>"}}};
  const ProgramResult text = call(quick({"eval", "--cases", "-"}), cases.dump());
  EXPECT_EQ(
      text.out,
      "ok    right\nWRONG 1: expected \" standing\", got \" sitting\"\nok    end\n2/3 correct\n");
  const Json json = Json::parse(call(quick({"eval", "--json", "--cases", "-"}), cases.dump()).out);
  EXPECT_EQ(json["correct"], 2);
  EXPECT_EQ(json["total"], 3);
  EXPECT_EQ(json["cases"][1]["correct"], false);
}

}  // namespace
}  // namespace deepinfer
