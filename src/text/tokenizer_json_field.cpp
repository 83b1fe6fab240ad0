#include "text/tokenizer_json_field.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "deepinfer/error.h"
#include "text/utf8.h"

namespace deepinfer {
namespace {

const nlohmann::json& null_value() {
  static const nlohmann::json value;
  return value;
}

std::string describe(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  return excerpt(value.dump());
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 200;  // longer than any of the three regexes
  if (text.size() <= kLongest) return std::string(text);
  text = text.substr(0, kLongest);
  text.remove_suffix(incomplete_suffix_length(text));
  return std::string(text) + "…";
}

std::string quoted_excerpt(std::string_view text) {
  std::string result = "\"";
  result += excerpt(text);
  result += '"';
  return result;
}

TokenizerJsonField::TokenizerJsonField(const nlohmann::json& value, std::string path,
                                       std::string_view where)
    : value_(&value), path_(std::move(path)), where_(where) {}

TokenizerJsonField TokenizerJsonField::operator[](const char* name) const {
  require_object();
  const auto member = value_->find(name);
  const nlohmann::json& value = member == value_->end() ? null_value() : *member;
  return {value, path_.empty() ? name : path_ + "." + name, where_};
}

TokenizerJsonField TokenizerJsonField::operator[](std::size_t index) const {
  return {(*value_)[index], path_ + "[" + std::to_string(index) + "]", where_};
}

bool TokenizerJsonField::is_null() const { return value_->is_null(); }

std::size_t TokenizerJsonField::array_size() const {
  if (!value_->is_array()) fail("an array");
  return value_->size();
}

void TokenizerJsonField::require_object() const {
  if (!value_->is_object()) fail("an object");
}

void TokenizerJsonField::require_string(std::string_view expected) const {
  if (!value_->is_string() || string() != expected) fail(quoted_excerpt(expected));
}

void TokenizerJsonField::require_bool(bool expected) const {
  if (!value_->is_boolean() || value_->get<bool>() != expected) fail(expected ? "true" : "false");
}

bool TokenizerJsonField::bool_or(bool fallback) const {
  if (value_->is_null()) return fallback;
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

const std::string& TokenizerJsonField::string() const {
  if (!value_->is_string()) fail("a string");
  return value_->get_ref<const std::string&>();
}

std::int32_t TokenizerJsonField::id(std::int32_t limit) const {
  const std::string range = "an id from 0 to " + std::to_string(limit - 1);
  if (!value_->is_number_integer()) fail(range);
  // A value above the signed range reads as negative here, and is out of range either way.
  const auto id = value_->get<std::int64_t>();
  if (id < 0 || id >= limit) fail(range);
  return static_cast<std::int32_t>(id);
}

void TokenizerJsonField::fail(std::string_view expected) const {
  fail(expected, describe(*value_));
}

void TokenizerJsonField::fail(std::string_view expected, std::string_view got) const {
  const std::string name = path_.empty() ? "the document" : path_;
  throw Error::bad_input(where_, name + " is not that of a DeepSeek-V4.1 tokenizer",
                         {std::string(expected), std::string(got), ""});
}

}  // namespace deepinfer
