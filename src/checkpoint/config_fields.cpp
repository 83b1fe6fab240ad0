#include "checkpoint/config_fields.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace deepinfer {
namespace {

using nlohmann::json;

std::string_view range_words(NumberRange range) {
  switch (range) {
    case NumberRange::any:
      return "a finite number";
    case NumberRange::non_negative:
      return "a number of at least 0";
    case NumberRange::positive:
      return "a number above 0";
    case NumberRange::above_one:
      return "a number above 1";
  }
  return "a number";
}

// The values end up as float, so the range is that of float after rounding.
bool in_range(double value, NumberRange range) {
  if (!std::isfinite(value) || std::abs(value) > std::numeric_limits<float>::max()) return false;
  switch (range) {
    case NumberRange::any:
      return true;
    case NumberRange::non_negative:
      return value >= 0;
    case NumberRange::positive:
      return static_cast<float>(value) > 0;
    case NumberRange::above_one:
      return static_cast<float>(value) > 1;
  }
  return false;
}

}  // namespace

void config_fault(std::string_view where, std::string_view wording, const ErrorDetail& detail) {
  throw Error::bad_input(where, "deepseek_v41 config: " + std::string(wording), detail);
}

std::string value_text(const json& value) {
  constexpr std::size_t kLongest = 80;  // keeps a message one readable line
  std::string text = value.is_string() ? value.get_ref<const std::string&>()
                                       : value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

ConfigFields::ConfigFields(const json& object, std::string prefix, std::string_view where)
    : object_(&object), prefix_(std::move(prefix)), where_(where) {
  if (object.is_object()) return;
  const std::string name = prefix_.empty() ? "config" : prefix_.substr(0, prefix_.size() - 1);
  fail(name + " must be an object, got " + value_text(object));
}

const json* ConfigFields::find(std::string_view name) const {
  const auto found = object_->find(name);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const json& ConfigFields::require(std::string_view name) const {
  const auto found = object_->find(name);
  if (found == object_->end()) fail("missing field " + prefix_ + std::string(name));
  return *found;
}

std::int64_t ConfigFields::to_integer(const json& value, std::string_view name, std::int64_t min,
                                      std::int64_t max) const {
  const std::string field = prefix_ + std::string(name);
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<std::uint64_t>() >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits || value.get<std::int64_t>() < min) {
    fail(field + " must be a positive integer, got " + value_text(value));
  }
  const auto number = value.get<std::int64_t>();
  if (number > max) {
    fail(field + " " + std::to_string(number) + " is above the supported maximum " +
         std::to_string(max));
  }
  return number;
}

std::int64_t ConfigFields::positive(std::string_view name, std::int64_t max) const {
  return to_integer(require(name), name, 1, max);
}

std::int64_t ConfigFields::positive_or(std::string_view name, std::int64_t fallback,
                                       std::int64_t max) const {
  const json* value = find(name);
  return value == nullptr ? fallback : to_integer(*value, name, 1, max);
}

std::int64_t ConfigFields::non_negative_or(std::string_view name, std::int64_t fallback,
                                           std::int64_t max) const {
  const json* value = find(name);
  return value == nullptr ? fallback : to_integer(*value, name, 0, max);
}

std::int64_t ConfigFields::integer_or(std::string_view name, std::int64_t fallback,
                                      std::int64_t max) const {
  const json* value = find(name);
  return value == nullptr ? fallback : to_integer(*value, name, -max, max);
}

double ConfigFields::to_number(const json& value, std::string_view name, NumberRange range) const {
  if (!value.is_number() || !in_range(value.get<double>(), range)) {
    fail(prefix_ + std::string(name) + " must be " + std::string(range_words(range)) + ", got " +
         value_text(value));
  }
  return value.get<double>();
}

double ConfigFields::number(std::string_view name, NumberRange range) const {
  return to_number(require(name), name, range);
}

double ConfigFields::number_or(std::string_view name, double fallback, NumberRange range) const {
  const json* value = find(name);
  return value == nullptr ? fallback : to_number(*value, name, range);
}

bool ConfigFields::boolean_or(std::string_view name, bool fallback) const {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) {
    fail(prefix_ + std::string(name) + " must be true or false, got " + value_text(*value));
  }
  return value->get<bool>();
}

std::string ConfigFields::text_or(std::string_view name, std::string_view fallback) const {
  const json* value = find(name);
  return value == nullptr ? std::string(fallback) : value_text(*value);
}

std::vector<int> ConfigFields::layer_ids(std::string_view name, int layers) const {
  const auto refuse = [&] {
    fail(std::string(name) + " must be strictly increasing layer ids below " +
         std::to_string(layers));
  };
  const json& list = require(name);
  if (!list.is_array()) refuse();
  std::vector<int> ids;
  for (const json& item : list) {
    const std::int64_t lowest = ids.empty() ? 0 : ids.back() + 1;
    // The unsigned reading of a value beyond int64 is negative as a signed one, so it fails too.
    if (!item.is_number_integer()) refuse();
    const auto id = item.get<std::int64_t>();
    if (id < lowest || id >= layers) refuse();
    ids.push_back(static_cast<int>(id));
  }
  return ids;
}

}  // namespace deepinfer
