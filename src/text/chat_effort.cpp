// Reasoning effort: numbers and names (prompting specification 2.2).

#include <charconv>
#include <utility>

#include "text/chat_content.h"

namespace deepinfer {
namespace {

constexpr int kLow = 50, kHigh = 75, kMax = 100;

// The release encoder's values, with the API names mapped as DeepSeek documents them.
constexpr std::pair<std::string_view, int> kNames[] = {
    {"minimal", kLow}, {"low", kLow}, {"medium", kHigh}, {"high", kHigh},
    {"xhigh", kHigh},  {"max", kMax}, {"ultra", kMax},
};
constexpr std::string_view kExpected =
    "an integer 1 to 100, or none, minimal, low, medium, high, xhigh, max, ultra";

}  // namespace

std::optional<int> parse_effort_field(const Field& field) {
  const bool number = field.is(JsonValue::Kind::number);
  if (!number && !field.is(JsonValue::Kind::string)) field.fail("wrong type", kExpected);
  const std::string& text = field.value().text;
  if (!number) {
    if (text == "none") return std::nullopt;
    for (const auto& [name, level] : kNames) {
      if (text == name) return level;
    }
  }
  int level = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), level);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  if (!whole || level < 1 || level > 100) {
    field.fail("invalid effort", kExpected, number ? text : quote_for_error(text));
  }
  return level;
}

std::optional<int> parse_effort(std::string_view text, std::string_view where) {
  JsonValue value;
  value.kind = JsonValue::Kind::string;
  value.text = text;
  return parse_effort_field(Field(value, "", std::string(where)));
}

}  // namespace deepinfer
