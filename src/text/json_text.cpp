#include "text/json_text.h"

#include <array>
#include <cstdint>
#include <unordered_map>

#include "deepinfer/error.h"
#include "text/json_text_number.h"

namespace deepinfer {
namespace {

// Objects with more members than this look keys up in a map, so that a hostile object of many keys
// stays linear.
constexpr std::size_t kLinearLookup = 16;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Length of the well-formed UTF-8 character at the front (Unicode table 3-7), 0 if there is none.
std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) -> unsigned {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xC0) == 0x80; };
  const unsigned a = at(0), b = at(1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    if ((a == 0xF0 && b < 0x90) || (a == 0xF4 && b > 0x8F)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  JsonValue document() {
    JsonValue root = value(0);
    skip_space();
    if (at_ < text_.size()) fail("the end of the document");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    std::string got = "the end of the text";
    if (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0 || c < 0x20) {
        constexpr std::string_view kHex = "0123456789abcdef";
        got = std::string("byte 0x") + kHex[c >> 4] + kHex[c & 15];
      } else {
        got = "'" + std::string(text_.substr(at_, length)) + "'";
      }
    }
    throw Error::bad_input(where_, "malformed JSON at byte " + std::to_string(at_),
                           {std::string(expected), got, ""});
  }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  // Recursion is bounded by kMaxJsonDepth.
  JsonValue value(int depth) {
    skip_space();
    if (depth > kMaxJsonDepth) {
      throw Error::bad_input(where_, "JSON nested too deeply at byte " + std::to_string(at_),
                             {"at most " + std::to_string(kMaxJsonDepth) + " levels", "more", ""});
    }
    JsonValue out;
    const char c = peek();
    if (c == '{') {
      object(out, depth);
    } else if (c == '[') {
      array(out, depth);
    } else if (c == '"') {
      out.kind = JsonValue::Kind::string;
      out.text = string();
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      out.kind = JsonValue::Kind::number;
      out.text = number();
    } else if (take("true")) {
      out.kind = JsonValue::Kind::boolean;
      out.boolean = true;
    } else if (take("false")) {
      out.kind = JsonValue::Kind::boolean;
    } else if (!take("null")) {
      fail("a JSON value");
    }
    return out;
  }

  void array(JsonValue& out, int depth) {
    out.kind = JsonValue::Kind::array;
    ++at_;
    skip_space();
    if (take("]")) return;
    while (true) {
      out.items.push_back(value(depth + 1));
      skip_space();
      if (take("]")) return;
      if (!take(",")) fail("',' or ']'");
    }
  }

  void object(JsonValue& out, int depth) {
    out.kind = JsonValue::Kind::object;
    std::unordered_map<std::string, std::size_t> index;
    ++at_;
    skip_space();
    if (take("}")) return;
    while (true) {
      skip_space();
      if (peek() != '"') fail("a quoted key");
      std::string key = string();
      skip_space();
      if (!take(":")) fail("':'");
      JsonValue item = value(depth + 1);
      const std::size_t slot = place(out, index, key);
      if (slot == out.items.size()) {
        out.keys.push_back(std::move(key));
        out.items.push_back(std::move(item));
      } else {
        out.items[slot] = std::move(item);
      }
      skip_space();
      if (take("}")) return;
      if (!take(",")) fail("',' or '}'");
    }
  }

  // Where a key's value belongs: its earlier place, or one past the end.
  static std::size_t place(const JsonValue& out,
                           std::unordered_map<std::string, std::size_t>& index,
                           const std::string& key) {
    const std::size_t size = out.keys.size();
    if (size < kLinearLookup) {
      for (std::size_t i = 0; i < size; ++i) {
        if (out.keys[i] == key) return i;
      }
      return size;
    }
    if (index.empty()) {
      for (std::size_t i = 0; i < size; ++i) index.emplace(out.keys[i], i);
    }
    return index.emplace(key, size).first->second;
  }

  std::string number() {
    const std::size_t start = at_;
    take("-");
    if (!take("0")) digits();
    if (take(".")) digits();
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (!take("+")) take("-");
      digits();
    }
    return canonical_number(text_.substr(start, at_ - start));
  }

  void digits() {
    if (peek() < '0' || peek() > '9') fail("a digit");
    while (peek() >= '0' && peek() <= '9') ++at_;
  }

  std::string string() {
    std::string out;
    ++at_;
    while (true) {
      if (at_ >= text_.size()) fail("a closing quote");
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c < 0x20) fail("an escaped control character");
      if (c == '\\') {
        escape(out);
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) fail("valid UTF-8");
      out.append(text_, at_, length);
      at_ += length;
    }
  }

  void escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
    ++at_;
    if (take("u")) {
      std::uint32_t code = hex4();
      if (code >= 0xD800 && code <= 0xDBFF) {
        if (!take("\\u")) fail("the second half of a surrogate pair");
        const std::uint32_t low = hex4();
        if (low < 0xDC00 || low > 0xDFFF) fail("the second half of a surrogate pair");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      } else if (code >= 0xDC00 && code <= 0xDFFF) {
        fail("the first half of a surrogate pair");
      }
      append_utf8(out, code);
      return;
    }
    const std::size_t letter =
        at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (letter == std::string_view::npos) fail("an escape sequence");
    out += kMeaning[letter];
    ++at_;
  }

  std::uint32_t hex4() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      std::uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A' + 10);
      } else {
        fail("four hexadecimal digits");
      }
      code = code * 16 + digit;
    }
    return code;
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t at_ = 0;
};

// Recursion is bounded: a parsed value is at most kMaxJsonDepth deep.
void write(std::string& out, const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      out += "null";
      return;
    case JsonValue::Kind::boolean:
      out += value.boolean ? "true" : "false";
      return;
    case JsonValue::Kind::number:
      out += value.text;
      return;
    case JsonValue::Kind::string:
      out += json_string(value.text);
      return;
    case JsonValue::Kind::array:
    case JsonValue::Kind::object:
      break;
  }
  const bool object = value.is(JsonValue::Kind::object);
  out += object ? '{' : '[';
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (object) out += json_string(value.keys[i]) + ": ";
    write(out, value.items[i]);
  }
  out += object ? '}' : ']';
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

JsonValue parse_json(std::string_view text, std::string_view where) {
  return Parser(text, where).document();
}

std::optional<JsonValue> try_parse_json(std::string_view text) {
  try {
    return parse_json(text, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string to_json(const JsonValue& value) {
  std::string out;
  write(out, value);
  return out;
}

void append_json_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
  constexpr std::string_view kEscape = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t at = kPlain.find(c); at != std::string_view::npos) {
      out += '\\';
      out += kEscape[at];
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  append_json_escaped(out, text);
  return out + '"';
}

std::string_view describe(JsonValue::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"null",     "a boolean", "a number",
                                                      "a string", "an array",  "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace deepinfer
