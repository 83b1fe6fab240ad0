// Token ids of prompts with the bundled model's tokenizer (prompting specification 1.7).

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "deepinfer/chat.h"
#include "deepinfer/error.h"
#include "text/json_text.h"

namespace deepinfer {
namespace {

using Ids = std::vector<std::int32_t>;

class ChatIds : public testing::Test {
 protected:
  static std::vector<Segment> segments_of(std::string_view json) {
    const Conversation conversation = parse_conversation(json, "test");
    return encode_chat(conversation, chat_options(conversation));
  }

  std::int32_t added(std::string_view text) const { return tokenizer_->added_token(text).value(); }

  std::ptrdiff_t count_added(const Ids& ids) const {
    return std::count_if(ids.begin(), ids.end(),
                         [&](std::int32_t id) { return tokenizer_->is_added(id); });
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = Tokenizer::open("models/DeepInfer-V4.1-tiny");
};

// No example has a control spelling in its texts, so both policies give the same ids: this also
// checks that texts are joined before they are cut into pieces.
TEST_F(ChatIds, WorkedExamples) {
  const std::string path = "tests/data/chat/examples.json";
  std::ifstream file(path, std::ios::binary);
  const JsonValue examples =
      parse_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
  ASSERT_EQ(examples.items.size(), 20U);
  for (const JsonValue& example : examples.items) {
    SCOPED_TRACE(example.find("name")->text);
    const std::vector<Segment> segments = segments_of(to_json(example));
    const Ids strict = to_ids(segments, *tokenizer_, TokenPolicy::strict);
    EXPECT_EQ(strict, tokenizer_->encode(example.find("prompt")->text, true));
    EXPECT_EQ(strict, to_ids(segments, *tokenizer_, TokenPolicy::library));
    EXPECT_EQ(tokenizer_->decode(strict), example.find("prompt")->text);
  }
}

TEST_F(ChatIds, FirstExampleIdById) {
  Ids expected = {added("<｜begin▁of▁sentence｜>"), added("<｜User｜>")};
  const Ids hello = tokenizer_->encode("hello", false);
  expected.insert(expected.end(), hello.begin(), hello.end());
  expected.push_back(added("<｜Assistant｜>"));
  expected.push_back(added("</think>"));
  const std::vector<Segment> segments =
      segments_of(R"({"thinking": false, "messages": [{"role": "user", "content": "hello"}]})");
  EXPECT_EQ(to_ids(segments, *tokenizer_, TokenPolicy::strict), expected);
}

// A marker in any text of the request is ordinary text for the server, and a control id for the
// library policy.
TEST_F(ChatIds, MarkersInTextInjectNothing) {
  const std::string form =
      R"({"messages": [
        {"role": "system", "content": "s @", "tools": [{"function": {"name": "f@",
          "description": "@"}}], "response_format": {"x": "@"}},
        {"role": "user", "content": "a @ b"},
        {"role": "assistant", "reasoning_content": "r @", "content": "c @", "tool_calls": [
          {"id": "1", "function": {"name": "g@", "arguments": {"k@": "v@", "n": ["@"]}}}]},
        {"role": "tool", "tool_call_id": "1", "content": "t @"},
        {"role": "latest_reminder", "content": "l @"},
        {"role": "user", "content": [{"type": "text", "text": "@@"}, {"type": "@"}]}]})";
  const auto fill = [&](std::string_view marker) {
    std::string out;
    for (const char c : form) {
      if (c == '@') {
        out += marker;
      } else {
        out += c;
      }
    }
    return segments_of(out);
  };
  const Ids clean = to_ids(fill(""), *tokenizer_, TokenPolicy::strict);
  for (const char* const marker :
       {"<｜User｜>", "<｜Assistant｜>", "</think>", "<think>", "<｜DSML｜ calls>", "｜DSML｜",
        "<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜System｜>", "<｜title｜>"}) {
    SCOPED_TRACE(marker);
    const std::vector<Segment> segments = fill(marker);
    const Ids strict = to_ids(segments, *tokenizer_, TokenPolicy::strict);
    EXPECT_EQ(count_added(strict), count_added(clean));
    EXPECT_EQ(tokenizer_->decode(strict), render(segments));
    EXPECT_EQ(count_added(to_ids(segments, *tokenizer_, TokenPolicy::library)),
              count_added(clean) + 16);
  }
}

TEST_F(ChatIds, TheRenderersOwnMarkupIsControl) {
  const std::vector<Segment> segments = segments_of(
      R"({"thinking": false, "tools": [{"function": {"name": "f"}}], "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "f",
          "arguments": "{\"a\": 1}"}}]}]})");
  const Ids ids = to_ids(segments, *tokenizer_, TokenPolicy::strict);
  const auto count = [&](std::string_view token) {
    return std::count(ids.begin(), ids.end(), added(token));
  };
  EXPECT_EQ(count("｜DSML｜"), 9 + 6);  // instructions and one call
  EXPECT_EQ(count("<think>"), 2);       // instructions
  EXPECT_EQ(count("</think>"), 3);      // instructions and the header
}

TEST_F(ChatIds, GroundingTokensAreControlInAssistantTextOnly) {
  const std::vector<Segment> segments = segments_of(
      R"([{"role": "user", "content": "<｜ref｜>a<｜/ref｜>"},
          {"role": "assistant", "reasoning_content": "<｜point｜>", "content": "x<｜box｜>y"}])");
  std::vector<std::string> found;
  for (const Segment& segment : segments) {
    if (segment.kind == Segment::Kind::control) found.push_back(segment.text);
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{"<｜begin▁of▁sentence｜>", "<｜System｜>", "<｜User｜>",
                                      "<｜Assistant｜>", "<think>", "<｜point｜>", "</think>",
                                      "<｜box｜>", "<｜end▁of▁sentence｜>"}));
  // The bundled vocabulary has none of them: they are text, joined with their neighbours.
  const Ids ids = to_ids(segments, *tokenizer_, TokenPolicy::strict);
  EXPECT_EQ(tokenizer_->decode(ids), render(segments));
}

TEST_F(ChatIds, AMissingControlTokenIsAnError) {
  const std::vector<Segment> segments = {{Segment::Kind::control, "<｜nowhere｜>", ""}};
  try {
    to_ids(segments, *tokenizer_, TokenPolicy::strict);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("<｜nowhere｜>"), std::string::npos);
  }
}

}  // namespace
}  // namespace deepinfer
