// Bad conversations: every one an Error that names the field, what was expected and what was found.

#include <gtest/gtest.h>

#include "deepinfer/chat.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

struct FaultCase {
  const char* json;
  const char* where;
  const char* message;
};

const FaultCase kCases[] = {
    {"", "conversation", "malformed JSON at byte 0"},
    {"{\"messages\": [", "conversation", "malformed JSON at byte 14"},
    {"3", "messages", "no conversation, expected an array or an object, got a number"},
    {"{}", "messages", "missing, expected a value, got none"},
    {R"({"messages": null})", "messages", "missing, expected a value, got null"},
    {R"({"messages": {}})", "messages", "wrong type, expected an array, got an object"},
    {"[]", "messages", "no messages, expected at least one message"},
    {R"(["x"])", "messages[0]", "expected an object, got a string"},
    {R"([{"content": "x"}])", "messages[0].role", "missing"},
    {R"([{"role": 3}])", "messages[0].role", "expected a string, got a number"},
    {R"([{"role": "user"}, {"role": "user"}, {"role": "robot"}])", "messages[2].role",
     "unknown role, expected system, developer, user, assistant, tool or latest_reminder, got "
     "\"robot\""},
    {R"([{"role": "direct_search_results"}])", "messages[0].role", "unknown role"},
    {R"([{"role": "user", "content": 3}])", "messages[0].content",
     "expected a string, an array of blocks, or null, got a number"},
    {R"([{"role": "user", "content": ["x"]}])", "messages[0].content[0]",
     "expected an object, got a string"},
    {R"([{"role": "user", "content": [{"text": "x"}]}])", "messages[0].content[0].type", "missing"},
    {R"([{"role": "user", "content": [{"type": "text"}]}])", "messages[0].content[0].text",
     "missing"},
    {R"([{"role": "user", "content": [{"type": "text", "text": 1}]}])",
     "messages[0].content[0].text", "expected a string, got a number"},
    {R"([{"role": "user", "content": [{"type": "image"}]}])", "messages[0].content[0]",
     "image block without a source"},
    {R"([{"role": "user", "content": [{"type": "image_url", "image_url": ""}]}])",
     "messages[0].content[0].image_url", "no image source"},
    {R"([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}])",
     "messages[0].content[0].image_url.data", "missing"},
    {R"([{"role": "user", "content": "a <｜deepseek_image｜> b"}])", "messages[0].content",
     "image placeholder inside text"},
    {R"([{"role": "system", "content": [{"type": "text", "text": "<｜deepseek_image｜>"}]}])",
     "messages[0].content[0].text", "image placeholder inside text"},
    {R"([{"role": "assistant", "reasoning_content": "<｜deepseek_image｜>"}])",
     "messages[0].reasoning_content", "image placeholder inside text"},
    {R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f",
       "arguments": "{\"a\": \"<\\uff5cdeepseek_image\\uff5c>\"}"}}]}])",
     "messages[0].tool_calls[0].function.arguments", "image placeholder inside text"},
    {R"([{"role": "user", "content": [{"type": "tool_result", "content": 4}]}])",
     "messages[0].content[0].content", "expected a string, got a number"},
    {R"([{"role": "assistant", "tool_calls": {}}])", "messages[0].tool_calls",
     "expected an array, got an object"},
    {R"([{"role": "assistant", "tool_calls": [{"id": 1, "function": {"name": "f"}}]}])",
     "messages[0].tool_calls[0].id", "expected a string, got a number"},
    {R"([{"role": "assistant", "tool_calls": [{"id": "1"}]}])",
     "messages[0].tool_calls[0].function", "missing"},
    {R"([{"role": "assistant", "tool_calls": [{"function": {}}]}])",
     "messages[0].tool_calls[0].function.name", "missing"},
    {R"([{"role": "assistant", "tool_calls": [{"function": {"name": ""}}]}])",
     "messages[0].tool_calls[0].function.name", "empty"},
    {R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": 3}}]}])",
     "messages[0].tool_calls[0].function.arguments", "expected a string of JSON, or an object"},
    {R"([{"role": "assistant", "wo_eos": 1}])", "messages[0].wo_eos",
     "expected a boolean, got a number"},
    {R"([{"role": "tool", "tool_call_id": 7}])", "messages[0].tool_call_id", "expected a string"},
    {R"([{"role": "user", "task": "dance"}])", "messages[0].task", "unknown task"},
    {R"({"messages": [{"role": "user"}], "tools": {}})", "tools", "expected an array"},
    {R"({"messages": [{"role": "user"}], "tools": [3]})", "tools[0]", "expected an object"},
    {R"({"messages": [{"role": "user"}], "tools": [{"type": "function"}]})", "tools[0].function",
     "missing"},
    {R"({"messages": [{"role": "user"}], "tools": [{"type": "web", "function": {"name": "f"}}]})",
     "tools[0].type", "unknown tool type, expected function, got \"web\""},
    {R"({"messages": [{"role": "user"}], "thinking_mode": "deep"})", "thinking_mode",
     "unknown mode, expected chat or thinking"},
    {R"({"messages": [{"role": "user"}], "thinking": "yes"})", "thinking", "wrong type"},
    {R"({"messages": [{"role": "user"}], "thinking": {"type": "on"}})", "thinking.type",
     "unknown thinking type"},
    {R"({"messages": [{"role": "user"}], "drop_thinking": "no"})", "drop_thinking",
     "expected a boolean"},
    {R"({"messages": [{"role": "user"}], "add_bos": 0})", "add_bos", "expected a boolean"},
    {R"({"messages": [{"role": "user"}], "response_format": "json"})", "response_format",
     "expected an object"},
    {R"({"messages": [{"role": "user"}], "response_format": {"type": "xml"}})",
     "response_format.type", "unknown response format"},
    {R"({"messages": [{"role": "user"}], "response_format": {"type": "json_schema"}})",
     "response_format.json_schema", "missing"},
};

void expect_error(const std::string& json, const std::string& where, const std::string& message) {
  SCOPED_TRACE(json);
  try {
    parse_conversation(json, "");
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::bad_input);
    EXPECT_EQ(e.where(), where);
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  }
}

TEST(ChatParse, BadInputNamesTheField) {
  for (const FaultCase& c : kCases) expect_error(c.json, c.where, c.message);
}

TEST(ChatParse, BadEffortInEitherMode) {
  for (const char* const mode : {"chat", "thinking"}) {
    for (const char* const effort :
         {"0", "101", "-5", "2.5", "75.0", "1e1", "true", "[]", "99999999999999999999", "\"\"",
          "\"huge\"", "\"High\"", "\"0\"", "\"7x\""}) {
      expect_error(std::string(R"({"messages": [{"role": "user"}], "thinking_mode": ")") + mode +
                       R"(", "reasoning_effort": )" + effort + "}",
                   "reasoning_effort", "expected an integer 1 to 100, or none, minimal, low");
    }
  }
}

TEST(ChatParse, EffortNames) {
  const struct {
    const char* name;
    int level;
  } kNames[] = {{"minimal", 50}, {"low", 50},    {"medium", 75}, {"high", 75}, {"xhigh", 75},
                {"max", 100},    {"ultra", 100}, {"1", 1},       {"100", 100}};
  for (const auto& name : kNames) EXPECT_EQ(parse_effort(name.name, "--effort"), name.level);
  EXPECT_EQ(parse_effort("none", "--effort"), std::nullopt);
  EXPECT_THROW(parse_effort("2.5", "--effort"), Error);
}

TEST(ChatParse, SourceStandsBeforeTheField) {
  try {
    parse_conversation(R"([{"role": "x"}])", "chat.json");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "chat.json: messages[0].role");
  }
}

TEST(ChatParse, LongTextIsCutInErrorsAtACharacter) {
  std::string role;
  for (int i = 0; i < 1000; ++i) role += "é";
  try {
    parse_conversation(R"([{"role": ")" + role + R"("}])", "");
    FAIL();
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_LT(text.size(), 400U);
    EXPECT_NE(text.find("é\"…"), std::string::npos) << text;
  }
}

TEST(ChatParse, DeepNestingIsAnError) {
  for (const std::string open : {"[", "{\"a\":", R"([{"role":"user","content":)"}) {
    std::string json;
    for (int i = 0; i < 100'000; ++i) json += open;
    EXPECT_THROW(parse_conversation(json, ""), Error);
  }
  // Inside arguments it is text like any other malformed JSON.
  const std::string deep(5000, '[');
  const Conversation conversation = parse_conversation(
      R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ")" + deep +
          R"("}}]}])",
      "");
  EXPECT_EQ(conversation.messages[0].tool_calls[0].arguments[0].value, deep);
}

}  // namespace
}  // namespace deepinfer
