#pragma once

// One value of a tokenizer.json together with its path, so that every check can name the field it
// failed on. Borrows the document; used by one thread while reading. Checks throw Error
// (bad_input).

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace deepinfer {

class TokenizerJsonField {
 public:
  TokenizerJsonField(const nlohmann::json& value, std::string path, std::string_view where);

  const nlohmann::json& value() const { return *value_; }

  /// Member of this object; a missing one reads as null.
  TokenizerJsonField operator[](const char* name) const;
  /// Element of this array, which must have it.
  TokenizerJsonField operator[](std::size_t index) const;

  bool is_null() const;
  /// Size of this array; anything else is an error.
  std::size_t array_size() const;
  void require_object() const;
  void require_string(std::string_view expected) const;
  void require_bool(bool expected) const;
  /// A missing or null value reads as `fallback`.
  bool bool_or(bool fallback) const;
  const std::string& string() const;
  /// An id: an integer in [0, limit).
  std::int32_t id(std::int32_t limit) const;

  /// The error "FIELD is wrong, expected …, got <this value>".
  [[noreturn]] void fail(std::string_view expected) const;
  /// The same with a finding of the caller's.
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
  std::string_view where_;
};

/// `text` cut to a length that suits an error message.
std::string excerpt(std::string_view text);
/// The excerpt in quotation marks.
std::string quoted_excerpt(std::string_view text);

}  // namespace deepinfer
