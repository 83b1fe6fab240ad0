// Prompts: the worked examples of prompting specification 2.12 (tests/data/chat/examples.json) and
// the rules they do not reach.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "deepinfer/chat.h"
#include "deepinfer/error.h"
#include "text/json_text.h"

namespace deepinfer {
namespace {

JsonValue load_examples() {
  const std::string path = "tests/data/chat/examples.json";
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return parse_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

std::string prompt_of(std::string_view json) {
  const Conversation conversation = parse_conversation(json, "test");
  return render(encode_chat(conversation, chat_options(conversation)));
}

TEST(ChatEncode, WorkedExamples) {
  const JsonValue examples = load_examples();
  EXPECT_EQ(examples.items.size(), 20U);
  for (const JsonValue& example : examples.items) {
    SCOPED_TRACE(example.find("name")->text);
    const std::string prompt = prompt_of(to_json(example));
    EXPECT_EQ(prompt, example.find("prompt")->text);
    EXPECT_EQ(prompt.size(), std::stoul(example.find("bytes")->text));
  }
}

TEST(ChatEncode, ExamplesAsABareListOfMessages) {
  for (const JsonValue& example : load_examples().items) {
    SCOPED_TRACE(example.find("name")->text);
    const Conversation conversation =
        parse_conversation(to_json(*example.find("messages")), "test");
    ChatOptions options;
    const JsonValue* effort = example.find("reasoning_effort");
    if (effort != nullptr) options.effort = parse_effort(effort->text, "effort").value();
    if (example.find("thinking_mode")->text == "chat") options.mode = ChatMode::chat;
    EXPECT_EQ(render(encode_chat(conversation, options)), example.find("prompt")->text);
  }
}

const std::string kBos = "<｜begin▁of▁sentence｜>";
const std::string kEos = "<｜end▁of▁sentence｜>";
const std::string kEffort75 =
    "<｜System｜>Reasoning Effort: 75 (range 1-100, the higher the value, the more thorough the "
    "reasoning)\n\n";

struct WorkedExample {
  const char* name;
  std::string json;
  std::string expected;
};

TEST(ChatEncode, Rules) {
  const WorkedExample kCases[] = {
      {"2.3 no BOS",
       R"({"thinking": false, "add_bos": false, "messages": [{"role": "user", "content": "a"}]})",
       "<｜User｜>a<｜Assistant｜></think>"},
      {"2.4 null content",
       R"({"thinking": false, "messages": [{"role": "user", "content": null}]})",
       kBos + "<｜User｜><｜Assistant｜></think>"},
      {"2.4 developer is system",
       R"({"thinking": false, "messages": [{"role": "developer", "content": "d"},
          {"role": "user", "content": "a"}]})",
       kBos + "<｜System｜>d<｜User｜>a<｜Assistant｜></think>"},
      {"2.4 system content as a list",
       R"({"thinking": false, "messages": [{"role": "system", "content": [
          {"type": "text", "text": "x"}, {"type": "sound"}, {"type": "text", "text": "y"}]},
          {"role": "user", "content": "a"}]})",
       kBos + "<｜System｜>x\n\ny<｜User｜>a<｜Assistant｜></think>"},
      {"2.5 tool result, then user; user with a task stays alone",
       R"({"thinking": false, "messages": [{"role": "user", "content": "a", "task": "query"},
          {"role": "user", "content": "b"}, {"role": "user", "content": "c"}]})",
       kBos + "<｜User｜>a<｜User｜>b\n\nc<｜Assistant｜></think>"},
      {"2.5 unsupported block",
       R"({"thinking": false, "messages": [{"role": "user", "content": [{"type": "sound"},
          {"type": "text", "text": "b"}]}]})",
       kBos + "<｜User｜>[Unsupported sound]\n\nb<｜Assistant｜></think>"},
      {"2.5 tool_result block of a user",
       R"({"thinking": false, "messages": [{"role": "user", "content": [{"type": "tool_result",
          "tool_use_id": "x", "content": [{"type": "text", "text": "b"}, {"type": "sound"},
          {"type": "tool_result"}]}, {"type": "tool_result"}]}]})",
       kBos + "<｜User｜><tool_result>b\n\n[Unsupported sound]\n\n[Unsupported tool_result]"
              "</tool_result>\n\n<tool_result></tool_result><｜Assistant｜></think>"},
      {"2.6 results sorted, texts stay, unknown ids count as the first",
       R"({"thinking": false, "messages": [{"role": "user", "content": "q"},
          {"role": "assistant", "tool_calls": [
            {"id": "1", "function": {"name": "f"}}, {"id": "2", "function": {"name": "g"}}]},
          {"role": "tool", "tool_call_id": "2", "content": "two"},
          {"role": "user", "content": "text"},
          {"role": "tool", "tool_call_id": "9", "content": "nine"},
          {"role": "tool", "tool_call_id": "1", "content": "one"}]})",
       kBos +
           "<｜User｜>q<｜Assistant｜></think>\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke "
           "name=\"f\">\n\n</｜DSML｜ invoke>\n<｜DSML｜ invoke name=\"g\">\n\n</｜DSML｜ "
           "invoke>\n</｜DSML｜ calls>" +
           kEos +
           "<｜User｜><tool_result>nine</tool_result>\n\ntext\n\n<tool_result>one</tool_result>"
           "\n\n<tool_result>two</tool_result><｜Assistant｜></think>"},
      {"2.7 a tool loop without tools loses its reasoning",
       R"([{"role": "user", "content": "q"}, {"role": "assistant", "reasoning_content": "r",
          "content": "c"}, {"role": "tool", "tool_call_id": "1", "content": "t"}])",
       kBos + kEffort75 + "<｜User｜>q<｜Assistant｜></think>c" + kEos +
           "<｜User｜><tool_result>t</tool_result><｜Assistant｜><think>"},
      {"2.7 drop_thinking off",
       R"({"drop_thinking": false, "messages": [{"role": "user", "content": "q"},
          {"role": "assistant", "reasoning": "r", "content": "c"},
          {"role": "user", "content": "p"}]})",
       kBos + kEffort75 + "<｜User｜>q<｜Assistant｜><think>r</think>c" + kEos +
           "<｜User｜>p<｜Assistant｜><think>"},
      {"2.7 tools on a user message only switch dropping off",
       R"([{"role": "user", "content": "q", "tools": [{"function": {"name": "f"}}]},
          {"role": "assistant", "content": "c"}, {"role": "user", "content": "p"}])",
       kBos + kEffort75 + "<｜User｜>q<｜Assistant｜><think></think>c" + kEos +
           "<｜User｜>p<｜Assistant｜><think>"},
      {"2.8 an ended assistant turn gets no header",
       R"({"thinking": false, "messages": [{"role": "user", "content": "q"},
          {"role": "assistant", "content": "c"}]})",
       kBos + "<｜User｜>q<｜Assistant｜></think>c" + kEos},
      {"2.8 a lone system message gets no header",
       R"({"thinking": false, "messages": [{"role": "system", "content": "s"}]})",
       kBos + "<｜System｜>s"},
      {"2.9 action in thinking mode; its answer has no reasoning part",
       R"([{"role": "user", "content": "q", "task": "action"},
          {"role": "assistant", "reasoning_content": "r", "content": "c"}])",
       kBos + kEffort75 + "<｜User｜>q<｜Assistant｜><think><｜action｜>c" + kEos},
      {"2.11 empty tools are none",
       R"({"thinking": false, "tools": [], "messages": [{"role": "user", "content": "q"}]})",
       kBos + "<｜User｜>q<｜Assistant｜></think>"},
      {"2.11 tool_choice none",
       R"({"thinking": false, "tools": [{"type": "function", "function": {"name": "f"}}],
          "tool_choice": "none", "messages": [{"role": "user", "content": "q"}]})",
       kBos + "<｜User｜>q<｜Assistant｜></think>"},
      {"2.11 arguments encoded twice, namespace, object",
       R"({"thinking": false, "messages": [{"role": "assistant", "tool_calls": [
          {"function": {"name": "f", "arguments": "\"{\\\"a\\\": 1}\""}},
          {"namespace": "n", "function": {"name": "f", "arguments": {"b": "x"}}}]}]})",
       kBos +
           "\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"f\">\n<｜DSML｜ parameter name=\"a\" "
           "string=\"false\">1</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n<｜DSML｜ invoke "
           "name=\"n::f\">\n<｜DSML｜ parameter name=\"b\" string=\"true\">x</｜DSML｜ "
           "parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>" +
           kEos},
      {"2.11 arguments that are no object",
       R"({"thinking": false, "messages": [{"role": "assistant", "tool_calls": [
          {"function": {"name": "f", "arguments": "[1,"}}]}]})",
       kBos +
           "\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"f\">\n<｜DSML｜ parameter "
           "name=\"arguments\" string=\"true\">[1,</｜DSML｜ parameter>\n</｜DSML｜ "
           "invoke>\n</｜DSML｜ calls>" +
           kEos},
      {"2.11 json_schema of the request",
       R"({"thinking": {"type": "disabled"}, "response_format": {"type": "json_schema",
          "json_schema": {"name": "x", "schema": {"type":"object"}}},
          "messages": [{"role": "user", "content": "q"}]})",
       kBos + "<｜System｜>\n\n## Response Format:\n\nYou MUST strictly adhere to the following "
              "schema to reply:\n{\"type\": \"object\"}<｜User｜>q<｜Assistant｜></think>"},
      {"2.11 json_object adds no text",
       R"({"thinking": {"type": "disabled"}, "response_format": {"type": "json_object"},
          "messages": [{"role": "user", "content": "q"}]})",
       kBos + "<｜User｜>q<｜Assistant｜></think>"},
      {"2.2 effort none is chat",
       R"({"reasoning_effort": "none", "messages": [{"role": "user", "content": "q"}]})",
       kBos + "<｜User｜>q<｜Assistant｜></think>"},
      {"2.2 thinking and high are the defaults", R"([{"role": "user", "content": "q"}])",
       kBos + kEffort75 + "<｜User｜>q<｜Assistant｜><think>"},
      {"continued turn by its DeepSeek name",
       R"({"thinking": false, "messages": [{"role": "user", "content": "q"},
          {"role": "assistant", "content": "c", "prefix": true}]})",
       kBos + "<｜User｜>q<｜Assistant｜></think>c"},
  };
  for (const WorkedExample& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(prompt_of(c.json), c.expected);
  }
}

// Request-level tools render as those of a system message do (E4 with its tools moved out).
TEST(ChatEncode, RequestToolsAttachToTheFirstSystemMessage) {
  const JsonValue examples = load_examples();
  for (const JsonValue& example : examples.items) {
    const std::string& name = example.find("name")->text;
    if (name != "E4" && name != "E5" && name != "E13") continue;
    JsonValue request = example;
    request.keys.emplace_back("tools");
    request.items.push_back(*example.find("messages")->items.front().find("tools"));
    const auto at = std::find(request.keys.begin(), request.keys.end(), "messages");
    JsonValue& messages = request.items[static_cast<std::size_t>(at - request.keys.begin())];
    JsonValue& system = messages.items.front();
    ASSERT_EQ(system.keys.back(), "tools");
    system.keys.pop_back();
    system.items.pop_back();
    if (name == "E4") messages.items.erase(messages.items.begin());
    EXPECT_EQ(prompt_of(to_json(request)), example.find("prompt")->text) << name;
  }
}

TEST(ChatEncode, NamesAndSchemasOfTools) {
  const Conversation conversation = parse_conversation(
      R"({"tools": [{"namespace": "n", "function": {"name": "f", "strict": true}},
          {"function": {"description": "é", "namespace": "m", "name": "g", "x": 1.50}}],
          "messages": [{"role": "user", "content": "q"}]})",
      "");
  EXPECT_EQ(declared_tools(conversation), (std::vector<std::string>{"n::f", "m::g"}));
  const std::string prompt = render(encode_chat(conversation, {}));
  EXPECT_NE(prompt.find("\n{\"name\": \"n::f\", \"strict\": true}\n"
                        "{\"description\": \"é\", \"name\": \"m::g\", \"x\": 1.5}\n\n"),
            std::string::npos)
      << prompt;
}

TEST(ChatEncode, ImagesStandInPromptOrderWithTheirSources) {
  const Conversation conversation = parse_conversation(
      R"([{"role": "user", "content": [{"type": "image", "url": "u"}, {"type": "image_url",
          "image_url": "v"}]},
          {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f"}},
           {"id": "2", "function": {"name": "f"}}]},
          {"role": "tool", "tool_call_id": "2", "content": [{"type": "text", "text": "t"},
           {"type": "image", "data": "w"}]},
          {"role": "tool", "tool_call_id": "1", "content": [{"type": "image", "source":
           {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]}])",
      "");
  std::vector<std::string> sources;
  for (const Segment& segment : encode_chat(conversation, {})) {
    if (segment.image_source.empty()) continue;
    EXPECT_EQ(segment.text, "<｜deepseek_image｜>");
    EXPECT_EQ(segment.kind, Segment::Kind::control);
    sources.push_back(segment.image_source);
  }
  EXPECT_EQ(sources, (std::vector<std::string>{"u", "v", "data:image/png;base64,AAAA", "w"}));
}

TEST(ChatEncode, ContinuedTurns) {
  const auto continues = [](std::string_view json) {
    return continues_turn(parse_conversation(json, ""));
  };
  EXPECT_TRUE(continues(R"([{"role": "assistant", "content": "a", "wo_eos": true}])"));
  EXPECT_FALSE(continues(R"([{"role": "assistant", "content": "a"}])"));
  EXPECT_FALSE(continues(R"([{"role": "user", "content": "a", "prefix": true}])"));
}

TEST(ChatEncode, EffortIsCheckedInBothModes) {
  const Conversation conversation = parse_conversation(R"([{"role": "user"}])", "");
  for (const ChatMode mode : {ChatMode::chat, ChatMode::thinking}) {
    for (const int effort : {0, 101, -1}) {
      EXPECT_THROW(encode_chat(conversation, {mode, effort, true, true}), Error) << effort;
    }
  }
}

}  // namespace
}  // namespace deepinfer
