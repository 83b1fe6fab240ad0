#pragma once

// Typed access to the fields of one object of config.json, with the messages of the specification's
// table of rejected values. Nothing is allocated in proportion to a number read here.
//
// A ConfigFields refers to the JSON object it was made of and must not outlive it. Every reader
// throws Error (bad_input) "[where] deepseek_v41 config: …". A field that is null counts as absent
// where a default exists.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/error.h"

namespace deepinfer {

[[noreturn]] void config_fault(std::string_view where, std::string_view wording,
                               const ErrorDetail& detail = {});

/// Parses config text: one JSON object, no duplicate fields, bounded depth and size.
nlohmann::json parse_config_json(std::string_view text, std::string_view where);

/// A JSON value as messages show it: a string bare, all else as JSON, cut when long.
std::string value_text(const nlohmann::json& value);

enum class NumberRange { any, non_negative, positive, above_one };

class ConfigFields {
 public:
  /// `prefix` is put before field names in messages, for example "text_config.".
  ConfigFields(const nlohmann::json& object, std::string prefix, std::string_view where);

  /// The value, or nullptr if the field is absent or null.
  const nlohmann::json* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// The value of a field that must be there (null is a value).
  const nlohmann::json& require(std::string_view name) const;

  /// Integers of 1 to max.
  std::int64_t positive(std::string_view name, std::int64_t max) const;
  std::int64_t positive_or(std::string_view name, std::int64_t fallback, std::int64_t max) const;
  /// Integers of 0 to max.
  std::int64_t non_negative_or(std::string_view name, std::int64_t fallback,
                               std::int64_t max) const;
  /// Any integer of at most max in magnitude.
  std::int64_t integer_or(std::string_view name, std::int64_t fallback, std::int64_t max) const;

  double number(std::string_view name, NumberRange range) const;
  double number_or(std::string_view name, double fallback, NumberRange range) const;

  bool boolean_or(std::string_view name, bool fallback) const;
  /// A string; a value of another type gives its JSON text, which no known word equals.
  std::string text_or(std::string_view name, std::string_view fallback) const;

  /// Strictly increasing layer ids below `layers`.
  std::vector<int> layer_ids(std::string_view name, int layers) const;

  std::string_view where() const { return where_; }
  [[noreturn]] void fail(std::string_view wording, const ErrorDetail& detail = {}) const {
    config_fault(where_, wording, detail);
  }

 private:
  std::int64_t to_integer(const nlohmann::json& value, std::string_view name, std::int64_t min,
                          std::int64_t max) const;
  double to_number(const nlohmann::json& value, std::string_view name, NumberRange range) const;

  const nlohmann::json* object_;
  std::string prefix_;
  std::string where_;
};

}  // namespace deepinfer
