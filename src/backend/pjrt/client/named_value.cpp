#include "backend/pjrt/client/named_value.h"

#include <charconv>
#include <system_error>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/named_value_api.h"

namespace deepinfer::pjrt {
namespace {

std::string list_text(const PJRT_NamedValue& value, std::string_view name) {
  const std::string_view separator = name.ends_with("_version") ? "." : ",";
  std::string text;
  for (std::size_t i = 0; i < value.value_size; ++i) {
    if (i > 0) text += separator;
    text += std::to_string(value.int64_array_value[i]);
  }
  return text;
}

std::string value_text(const PJRT_NamedValue& value, std::string_view name) {
  switch (value.type) {
    case PJRT_NamedValue_kString:
      return text_of(value.string_value, value.value_size);
    case PJRT_NamedValue_kInt64:
      return std::to_string(value.int64_value);
    case PJRT_NamedValue_kInt64List:
      return list_text(value, name);
    case PJRT_NamedValue_kFloat:
      return std::to_string(value.float_value);
    case PJRT_NamedValue_kBool:
      return value.bool_value ? "true" : "false";
  }
  return "a value of an unknown type";
}

template <typename Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size();
}

}  // namespace

OptionValue option_value(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  std::int64_t integer = 0;
  if (parse_whole(text, integer)) return integer;
  double number = 0;
  if (parse_whole(text, number)) return number;
  return std::string(text);
}

std::string value_of(const std::vector<Attribute>& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes)
    if (attribute.name == name) return attribute.value;
  return {};
}

std::vector<Attribute> attributes_of(const PJRT_NamedValue* values, std::size_t count) {
  std::vector<Attribute> attributes;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = text_of(values[i].name, values[i].name_size);
    std::string value = value_text(values[i], name);
    attributes.push_back({.name = std::move(name), .value = std::move(value)});
  }
  return attributes;
}

std::vector<PJRT_NamedValue> named_values(std::span<const NamedOption> options) {
  std::vector<PJRT_NamedValue> values;
  for (const NamedOption& option : options) {
    PJRT_NamedValue value{};
    value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    value.name = option.name.data();
    value.name_size = option.name.size();
    value.value_size = 1;
    if (const auto* text = std::get_if<std::string>(&option.value)) {
      value.type = PJRT_NamedValue_kString;
      value.string_value = text->data();
      value.value_size = text->size();
    } else if (const auto* boolean = std::get_if<bool>(&option.value)) {
      value.type = PJRT_NamedValue_kBool;
      value.bool_value = *boolean;
    } else if (const auto* integer = std::get_if<std::int64_t>(&option.value)) {
      value.type = PJRT_NamedValue_kInt64;
      value.int64_value = *integer;
    } else if (const auto* number = std::get_if<double>(&option.value)) {
      value.type = PJRT_NamedValue_kFloat;
      value.float_value = static_cast<float>(*number);
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace deepinfer::pjrt
