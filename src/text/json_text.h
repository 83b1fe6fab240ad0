#pragma once

// JSON that keeps what a prompt needs: key order, integers of any size, and the float spelling of
// Python's json.dumps (prompting specification 2.1).
//
// Values are plain and own their content; nothing is shared. Nesting is limited, so neither
// parsing, writing nor destroying a value can exhaust the stack. Errors are Error (bad_input).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer {

/// Deepest nesting of arrays and objects accepted. Real tool schemas stay below 20.
inline constexpr int kMaxJsonDepth = 64;

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::string text;               ///< characters of a string; a number in its written form
  std::vector<std::string> keys;  ///< of an object, parallel to items; each key once
  std::vector<JsonValue> items;   ///< elements of an array, values of an object

  /// Member of an object; nullptr if absent or if this is no object.
  const JsonValue* find(std::string_view key) const;
  bool is(Kind k) const { return kind == k; }
};

/// Parses one JSON document. A repeated key keeps its first place and its last value.
JsonValue parse_json(std::string_view text, std::string_view where);
/// The same, nullopt where the text is malformed.
std::optional<JsonValue> try_parse_json(std::string_view text);

/// The form of json.dumps(value, ensure_ascii=False).
std::string to_json(const JsonValue& value);

/// Appends the characters of a JSON string without its quotes.
void append_json_escaped(std::string& out, std::string_view text);
/// A quoted JSON string.
std::string json_string(std::string_view text);

/// Name of a value's kind with its article, for error texts ("an array").
std::string_view describe(JsonValue::Kind kind);

}  // namespace deepinfer
