// The output parser over tests/data/chat/outputs.json: the rows of prompting specification 3.4,
// malformed mark-up, and tags that come too often, too early or not at all. Every case is fed
// whole, byte by byte and in all cuts into two, in every spelling of the mark-up.

#include "text/output_parser.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "deepinfer/chat.h"
#include "text/json_text.h"

namespace deepinfer {
namespace {

using Kind = OutputEvent::Kind;

struct Call {
  std::string name;
  std::string arguments;
  bool ended = false;
  bool operator==(const Call&) const = default;
};

struct Parsed {
  std::string reasoning;
  std::string content;
  std::vector<Call> calls;
  std::size_t dropped = 0;
  bool operator==(const Parsed&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Parsed& p) {
  out << "reasoning " << json_string(p.reasoning) << " content " << json_string(p.content);
  for (const Call& call : p.calls) {
    out << " call " << call.name << ' ' << call.arguments << (call.ended ? "" : " (open)");
  }
  out << " dropped " << p.dropped;
  return out;
}

struct ParserCase {
  std::string name;
  OutputOptions options;
  std::string output;
  Parsed expected;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<ParserCase> load_cases() {
  const std::string path = "tests/data/chat/outputs.json";
  std::vector<ParserCase> cases;
  for (const JsonValue& row : parse_json(read_file(path), path).items) {
    ParserCase c;
    c.name = row.find("name")->text;
    c.options.starts_in_thinking = row.find("thinking")->boolean;
    c.options.parse_tools = row.find("tools")->boolean;
    c.options.continues_content = row.find("continues_content")->boolean;
    for (const JsonValue& name : row.find("tool_names")->items) {
      c.options.tool_names.push_back(name.text);
    }
    c.output = row.find("output")->text;
    c.expected.reasoning = row.find("reasoning")->text;
    c.expected.content = row.find("content")->text;
    const std::vector<JsonValue>& calls = row.find("calls")->items;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const bool open = i + 1 == calls.size() && row.find("open_call")->boolean;
      c.expected.calls.push_back(
          {calls[i].find("name")->text, calls[i].find("arguments")->text, !open});
    }
    c.expected.dropped = std::stoul(row.find("dropped_bytes")->text);
    cases.push_back(std::move(c));
  }
  return cases;
}

// Applies events and checks their order and indexes.
void apply(const std::vector<OutputEvent>& events, Parsed& out, bool& done) {
  for (const OutputEvent& event : events) {
    EXPECT_FALSE(done);
    switch (event.kind) {
      case Kind::reasoning:
        EXPECT_TRUE(out.content.empty() && out.calls.empty());
        out.reasoning += event.text;
        break;
      case Kind::content:
        EXPECT_TRUE(out.calls.empty());
        out.content += event.text;
        break;
      case Kind::call_begin:
        EXPECT_TRUE(out.calls.empty() || out.calls.back().ended);
        EXPECT_EQ(event.call, static_cast<int>(out.calls.size()));
        out.calls.push_back({event.text, "", false});
        break;
      case Kind::call_args:
      case Kind::call_end:
        ASSERT_FALSE(out.calls.empty() || out.calls.back().ended);
        EXPECT_EQ(event.call, static_cast<int>(out.calls.size()) - 1);
        out.calls.back().arguments += event.text;
        out.calls.back().ended = event.kind == Kind::call_end;
        break;
      case Kind::done:
        done = true;
        break;
    }
  }
}

Parsed run(const OutputOptions& options, const std::vector<std::string_view>& chunks) {
  OutputParser parser(options);
  Parsed out;
  bool done = false;
  std::size_t received = 0;
  for (const std::string_view chunk : chunks) {
    apply(parser.push(chunk), out, done);
    received += chunk.size();
    EXPECT_EQ(parser.account().total() + parser.held(), received);
  }
  apply(parser.finish(), out, done);
  EXPECT_TRUE(done);
  EXPECT_EQ(parser.account().total(), received);
  EXPECT_EQ(parser.held(), 0U);
  EXPECT_EQ(parser.account().reasoning, out.reasoning.size());
  EXPECT_EQ(parser.account().content, out.content.size());
  EXPECT_EQ(parser.calls(), static_cast<int>(out.calls.size()));
  out.dropped = parser.account().dropped;
  return out;
}

std::vector<std::string_view> bytes_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size(); ++i) out.push_back(text.substr(i, 1));
  return out;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(OutputParser, GivesTheExpectedPartsInOnePiece) {
  for (const ParserCase& c : load_cases()) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(run(c.options, {c.output}), c.expected);
  }
}

TEST(OutputParser, GivesTheSameAtEveryCut) {
  for (const ParserCase& c : load_cases()) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(run(c.options, bytes_of(c.output)), c.expected);
    const std::string_view text = c.output;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      ASSERT_EQ(run(c.options, {text.substr(0, i), text.substr(i)}), c.expected) << "cut at " << i;
      ASSERT_EQ(run(c.options, {text.substr(0, i), "", text.substr(i, 3),
                                text.substr(std::min(i + 3, text.size()))}),
                c.expected)
          << "cut at " << i;
    }
  }
}

// Only whole tags are respelled: a case that holds a partial or quoted marker has text that would
// change with it.
TEST(OutputParser, AcceptsEverySpelling) {
  const char* const kMarkers[] = {"｜DSML｜", "｜｜DSML｜｜", "|DSML|", "||DSML||"};
  const char* const kBlocks[] = {"calls", "tool_calls", "function_calls"};
  int respelled = 0;
  for (const ParserCase& c : load_cases()) {
    if (!c.options.parse_tools || c.expected.dropped > 0 || c.name == "near misses stay text" ||
        c.expected.content.find("DS") != std::string::npos) {
      continue;
    }
    bool quoted = false;
    for (const Call& call : c.expected.calls) {
      quoted = quoted || call.arguments.find("DS") != std::string::npos;
    }
    if (quoted || c.output.find("｜DSML｜") == std::string::npos) continue;
    ++respelled;
    for (const std::string marker : kMarkers) {
      for (const std::string block : kBlocks) {
        for (const std::string space : {" ", ""}) {
          std::string tag = marker;
          tag += space;
          SCOPED_TRACE(testing::Message() << c.name << " as " << tag << block);
          std::string text = replace_all(c.output, " calls>", std::string(" ").append(block) + ">");
          text = replace_all(text, "｜DSML｜ ", tag);
          EXPECT_EQ(run(c.options, {text}), c.expected);
          EXPECT_EQ(run(c.options, bytes_of(text)), c.expected);
        }
      }
    }
  }
  EXPECT_GE(respelled, 20);
}

TEST(OutputParser, HoldsBackNoMoreThanItMust) {
  OutputOptions options;
  options.starts_in_thinking = true;
  options.parse_tools = true;
  options.tool_names = {"ping"};
  OutputParser parser(options);
  const struct {
    const char* in;
    const char* out;  // text of the events at once, joined
    std::size_t held;
  } kSteps[] = {
      {"think", "think", 0},
      {" hard\n", " hard", 1},
      {"\n", "", 2},
      {"x<", "\n\nx", 1},
      {"/thin", "", 6},
      {"g", "</thing", 0},
      {"\n</think", "", 8},
      {">\n", "", 0},
      {"a <｜DSML｜", "a ", 11},
      {"?", "<｜DSML｜?", 0},
      {"\n\n<｜DSML｜ invoke name=\"pi", "", 29},
      {"x", "\n\n<｜DSML｜ invoke name=\"pix", 0},
      {"\n\n<｜DSML｜ calls>\n", "", 0},
      {"<｜DSML｜ invoke name=\"", "", 0},
      {"ping\"", "ping", 0},
      {">\n<｜DSML｜ parameter name=\"k", "", 0},
      {"\" string=\"true\"", "", 15},
      {">", "{\"k\": \"", 0},
      {"v <", "v ", 1},
      {"b", "<b", 0},
      {"</｜DSML", "", 9},
      {"｜", "\"", 0},
      {" parameter>\n</｜DSML｜ invoke>", "}", 0},
  };
  for (const auto& step : kSteps) {
    std::string out;
    for (const OutputEvent& event : parser.push(step.in)) out += event.text;
    EXPECT_EQ(out, step.out) << step.in;
    if (std::string_view(step.in) == "｜") {
      EXPECT_EQ(parser.held(), 12U);  // the tag's rest is read among the arguments
    } else {
      EXPECT_EQ(parser.held(), step.held) << step.in;
    }
  }
}

TEST(OutputParser, WithoutToolsLineFeedsOfAnAnswerDoNotWait) {
  OutputParser parser({});
  ASSERT_EQ(parser.push("a\n\n").size(), 1U);
  EXPECT_EQ(parser.held(), 0U);
}

TEST(OutputParser, JoinsPiecesOfOneKind) {
  OutputOptions options;
  options.parse_tools = true;
  OutputParser parser(options);
  const std::vector<OutputEvent> events = parser.push("a < b\n<c <｜DSML｜ x");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0], (OutputEvent{Kind::content, -1, "a < b\n<c <｜DSML｜ x"}));
}

// Random mixtures of whole and broken markers: no crash, all bytes accounted for, equal at every
// chunk size.
TEST(OutputParser, RandomMarkupIsTheSameInAnyChunks) {
  const char* const kParts[] = {"a",
                                "\n",
                                "<",
                                "\"",
                                ">",
                                "｜DSML｜",
                                "|DSML|",
                                " ",
                                "</",
                                "calls>",
                                "<think>",
                                "</think>",
                                " name=\"",
                                "f\">",
                                "invoke",
                                "parameter",
                                "<｜DSML｜ calls>",
                                "</｜DSML｜ calls>",
                                "<｜DSML｜ invoke name=\"f\">",
                                "</｜DSML｜ invoke>",
                                "<｜DSML｜ parameter name=\"k\" string=\"true\">",
                                "<｜DSML｜parameter name=\"k\" string=\"false\">",
                                "</｜DSML｜parameter>",
                                "\" string=\"true\">"};
  std::minstd_rand random(1);
  for (int round = 0; round < 2000; ++round) {
    OutputOptions options;
    options.starts_in_thinking = random() % 2 == 0;
    options.parse_tools = random() % 4 != 0;
    options.tool_names = {"f"};
    std::string text;
    for (int i = 0; i < 30; ++i) text += kParts[random() % std::size(kParts)];
    const Parsed whole = run(options, {text});
    ASSERT_EQ(run(options, bytes_of(text)), whole) << text;
    std::vector<std::string_view> chunks;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % 20;
      chunks.push_back(std::string_view(text).substr(at, size));
      at += size;
    }
    ASSERT_EQ(run(options, chunks), whole) << text;
  }
}

// Long runs of what must be held, in one-byte chunks: linear, or this takes minutes.
TEST(OutputParser, StaysLinear) {
  OutputOptions options;
  options.starts_in_thinking = true;
  options.parse_tools = true;
  for (const char* const unit : {"\n", "<", "</think", "<｜DSML｜ calls>\"", "｜"}) {
    std::string text = "x";
    while (text.size() < 200'000) text += unit;
    const Parsed parsed = run(options, bytes_of(text));
    EXPECT_EQ(parsed, run(options, {text})) << unit;
  }
}

// Chat, thinking and every effort: the prompt's last token decides where the parser starts, and an
// answer with both parts fills both.
TEST(OutputParser, StartsWhereThePromptEnds) {
  for (const std::string effort :
       {"1", "50", "100", "\"low\"", "\"medium\"", "\"high\"", "\"xhigh\"", "\"max\"", "\"ultra\"",
        "\"minimal\"", "\"none\""}) {
    for (const std::string thinking : {"true", "false"}) {
      SCOPED_TRACE(effort + " " + thinking);
      const Conversation conversation =
          parse_conversation(R"({"messages": [{"role": "user", "content": "q"}], "thinking": )" +
                                 thinking + R"(, "reasoning_effort": )" + effort + "}",
                             "");
      const ChatOptions chat = chat_options(conversation);
      const std::string prompt = render(encode_chat(conversation, chat));
      OutputOptions options;
      options.starts_in_thinking = chat.mode == ChatMode::thinking;
      EXPECT_EQ(prompt.ends_with("<think>"), options.starts_in_thinking);
      EXPECT_EQ(options.starts_in_thinking, thinking == "true" && effort != "\"none\"");
      const Parsed parsed =
          run(options, {options.starts_in_thinking ? "why\n</think>\n\nanswer" : "answer"});
      EXPECT_EQ(parsed.reasoning, options.starts_in_thinking ? "why" : "");
      EXPECT_EQ(parsed.content, "answer");
    }
  }
}

}  // namespace
}  // namespace deepinfer
