#include "text/json_text.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"
#include "text/json_text_number.h"

namespace deepinfer {
namespace {

TEST(JsonText, WritesTheFormOfPythonsJsonDumps) {
  const struct {
    const char* in;
    const char* out;
  } kCases[] = {
      {"{}", "{}"},
      {" [ ] ", "[]"},
      {R"({"b":1,"a":[true,false,null]})", R"({"b": 1, "a": [true, false, null]})"},
      {R"({"a":1,"b":2,"a":3})", R"({"a": 3, "b": 2})"},
      {R"({"a":{"x":1},"a":{"y":2}})", R"({"a": {"y": 2}})"},
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"0e5", "0.0"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"-98765432109876543210", "-98765432109876543210"},
      {"2.50", "2.5"},
      {"1e-5", "1e-05"},
      {"1E-4", "0.0001"},
      {"1e15", "1000000000000000.0"},
      {"1e16", "1e+16"},
      {"1e2", "100.0"},
      {"1.0", "1.0"},
      {"0.1", "0.1"},
      {"123.456", "123.456"},
      {"-1.5e300", "-1.5e+300"},
      {"12345678901234567.0", "1.2345678901234568e+16"},
      {"5e-324", "5e-324"},
      {"1e-999", "0.0"},
      {"-1e-999", "-0.0"},
      {"1e999", "Infinity"},
      {"-1e999", "-Infinity"},
      {"0.000001e9999999999999999999", "Infinity"},
      {"\"/\x7f\xC3\xA9\"", "\"/\x7f\xC3\xA9\""},
      {R"("\u00e9\u4e2d\ud83d\ude42\/")", "\"é中🙂/\""},
      {R"("\u0001\u001f\b\f\n\r\t\"\\")", R"("\u0001\u001f\b\f\n\r\t\"\\")"},
      {R"("\u0000")", R"("\u0000")"},
  };
  for (const auto& c : kCases) EXPECT_EQ(to_json(parse_json(c.in, "t")), c.out) << c.in;
}

TEST(JsonText, KeepsIntegersOfAnyLength) {
  const std::string digits = "9" + std::string(2000, '7');
  EXPECT_EQ(to_json(parse_json("[" + digits + "]", "t")), "[" + digits + "]");
}

TEST(JsonText, KeepsRepeatedKeysInLargeObjects) {
  std::string in = "{";
  for (int i = 0; i < 100; ++i)
    in += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + ",";
  in.back() = '}';
  const JsonValue value = parse_json(in, "t");
  ASSERT_EQ(value.keys.size(), 50U);
  EXPECT_EQ(value.keys.front(), "k0");
  EXPECT_EQ(value.items.front().text, "50");
  EXPECT_EQ(value.find("k49")->text, "99");
}

TEST(JsonText, NamesThePlaceOfAFault) {
  const struct {
    const char* in;
    const char* message;
  } kCases[] = {
      {"", "malformed JSON at byte 0, expected a JSON value, got the end of the text"},
      {"{\"a\":}", "byte 5, expected a JSON value, got '}'"},
      {"{a:1}", "byte 1, expected a quoted key, got 'a'"},
      {"[1,]", "byte 3, expected a JSON value, got ']'"},
      {"[1 2]", "byte 3, expected ',' or ']', got '2'"},
      {"{\"a\" 1}", "byte 5, expected ':', got '1'"},
      {"{\"a\":1", "byte 6, expected ',' or '}', got the end of the text"},
      {"1 2", "byte 2, expected the end of the document, got '2'"},
      {"01", "byte 1, expected the end of the document, got '1'"},
      {"-", "byte 1, expected a digit, got the end of the text"},
      {"1.", "byte 2, expected a digit"},
      {"1e+", "byte 3, expected a digit"},
      {"nul", "byte 0, expected a JSON value, got 'n'"},
      {"NaN", "byte 0, expected a JSON value"},
      {"\"a", "byte 2, expected a closing quote"},
      {"\"a\n\"", "byte 2, expected an escaped control character, got byte 0x0a"},
      {R"("\x")", "byte 2, expected an escape sequence, got 'x'"},
      {"\"\\", "byte 2, expected an escape sequence, got the end of the text"},
      {R"("\u12g4")", "byte 5, expected four hexadecimal digits, got 'g'"},
      {R"("\ud83d")", "byte 7, expected the second half of a surrogate pair"},
      {R"("\ud83d\u0041")", "expected the second half of a surrogate pair"},
      {R"("\ude42")", "expected the first half of a surrogate pair"},
      {"\"\xFF\"", "byte 1, expected valid UTF-8, got byte 0xff"},
      {"\"\xC0\xAF\"", "byte 1, expected valid UTF-8, got byte 0xc0"},
      {"\"\xED\xA0\x80\"", "byte 1, expected valid UTF-8, got byte 0xed"},
      {"\"\xF4\x90\x80\x80\"", "byte 1, expected valid UTF-8"},
      {"\"\xE4\xB8", "byte 1, expected valid UTF-8"},
      {"\xEF\xBB\xBF{}", "byte 0, expected a JSON value"},
  };
  for (const auto& c : kCases) {
    try {
      parse_json(c.in, "body");
      ADD_FAILURE() << "accepted: " << c.in;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), Error::Kind::bad_input);
      EXPECT_EQ(e.where(), "body");
      EXPECT_NE(std::string(e.what()).find(c.message), std::string::npos) << e.what();
    }
  }
}

TEST(JsonText, LimitsNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_NO_THROW(parse_json(nested(kMaxJsonDepth), "t"));
  EXPECT_THROW(parse_json(nested(kMaxJsonDepth + 2), "t"), Error);
  EXPECT_THROW(parse_json(std::string(1'000'000, '['), "t"), Error);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(try_parse_json(objects).has_value());
}

}  // namespace
}  // namespace deepinfer
