#include "cli/eval_cases.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cli/console.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

using CasesJson = nlohmann::json;

Error wrong_field(const std::string& where, std::string_view what, std::string expected,
                  const CasesJson* got) {
  return Error::bad_input(where, what,
                          {.expected = std::move(expected),
                           .got = got == nullptr ? "nothing" : std::string(got->type_name()),
                           .hint = {}});
}

std::string text_field(const CasesJson& json, const char* name, const std::string& where) {
  const auto found = json.find(name);
  const CasesJson* value = found == json.end() ? nullptr : &*found;
  if (value == nullptr || !value->is_string())
    throw wrong_field(where + "." + name, "is no text", "a string", value);
  return value->get<std::string>();
}

std::vector<std::int32_t> token_field(const CasesJson& value, const std::string& where) {
  if (!value.is_array()) throw wrong_field(where, "is no list", "a list of token ids", &value);
  std::vector<std::int32_t> ids;
  for (const CasesJson& item : value) {
    const std::string place = fmt::format("{}[{}]", where, ids.size());
    if (!item.is_number_integer())
      throw wrong_field(place, "is no token id", "a whole number", &item);
    // A number beyond 64 bits signed reads as unsigned; either way it is no id.
    const bool fits = item.is_number_unsigned()
                          ? item.get<std::uint64_t>() <= std::numeric_limits<std::int32_t>::max()
                          : item.get<std::int64_t>() >= 0;
    if (!fits)
      throw Error::bad_input(place, "token id is out of range",
                             {.expected = "0 to 2147483647", .got = item.dump(), .hint = {}});
    ids.push_back(item.get<std::int32_t>());
  }
  return ids;
}

/// Whether the field is there and not null.
bool has_field(const CasesJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && !found->is_null();
}

std::string id_field(const CasesJson& json, std::size_t index) {
  const auto found = json.find("id");
  if (found == json.end()) return std::to_string(index);
  return one_line(found->is_string() ? found->get<std::string>() : found->dump());
}

EvalCase parse_case(const CasesJson& json, std::size_t index, const std::string& where) {
  if (!json.is_object()) throw wrong_field(where, "is no case", "an object", &json);
  EvalCase parsed;
  parsed.id = id_field(json, index);
  parsed.expect = text_field(json, "expect", where);
  if (parsed.expect.empty())  // every continuation starts with nothing
    throw Error::bad_input(
        where + ".expect", "is empty",
        {.expected = "text that the answer starts with", .got = "\"\"", .hint = {}});
  if (has_field(json, "tokens")) parsed.tokens = token_field(json["tokens"], where + ".tokens");
  if (has_field(json, "prompt")) parsed.prompt = text_field(json, "prompt", where);
  if (!parsed.tokens.has_value() && !parsed.prompt.has_value())
    throw wrong_field(where, "has no prompt", "`prompt` or `tokens`", nullptr);
  return parsed;
}

}  // namespace

std::vector<EvalCase> parse_cases(std::string_view json_text, const std::string& where) {
  CasesJson json;
  try {
    json = CasesJson::parse(json_text);
  } catch (const CasesJson::parse_error& error) {
    throw Error::bad_input(where, "is no JSON",
                           {.expected = "a list of cases",
                            .got = fmt::format("an error at byte {}", error.byte),
                            .hint = {}});
  }
  if (!json.is_array()) throw wrong_field(where, "is no list", "a list of cases", &json);
  if (json.empty())
    throw Error::bad_input(where, "has no cases",
                           {.expected = "at least one", .got = "an empty list", .hint = {}});
  std::vector<EvalCase> cases;
  for (std::size_t index = 0; index < json.size(); ++index)
    cases.push_back(parse_case(json[index], index, fmt::format("{}[{}]", where, index)));
  return cases;
}

}  // namespace deepinfer::cli
