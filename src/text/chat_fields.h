#pragma once

// Typed access to the fields of a request, with errors that name the field.
//
// A Field is a view of a value inside a parsed document and its path; the document must outlive it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/json_text.h"

namespace deepinfer {

class Field {
 public:
  /// `source` names the document in errors (may be empty), `path` the value in it.
  Field(const JsonValue& value, std::string_view source, std::string path)
      : value_(&value), source_(source), path_(std::move(path)) {}

  const JsonValue& value() const { return *value_; }
  bool is(JsonValue::Kind kind) const { return value_->kind == kind; }

  /// A member that is present and not null.
  std::optional<Field> get(std::string_view key) const;
  /// The same; an error if there is none.
  Field require(std::string_view key) const;
  std::size_t size() const { return value_->items.size(); }
  Field at(std::size_t index) const;

  void expect(JsonValue::Kind kind) const;
  const std::string& as_string() const;
  bool as_boolean() const;

  /// Throws an Error about this field.
  [[noreturn]] void fail(std::string_view what, std::string_view expected,
                         std::string_view got = "", std::string_view hint = "") const;

 private:
  const JsonValue* value_;
  std::string source_;
  std::string path_;
};

/// A user's text for an error message: quoted, cut to a readable length at a character boundary.
std::string quote_for_error(std::string_view text);

}  // namespace deepinfer
