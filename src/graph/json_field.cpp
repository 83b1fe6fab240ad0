#include "graph/json_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_problem.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostDepth = 8;  // a shape among the attributes of an op is at 5

const Json& tree_of(const void* json) { return *static_cast<const Json*>(json); }

/// Refuses what the library would let pass: members that are there twice (the last would win), and
/// deep nesting.
class ParseGuard {
 public:
  explicit ParseGuard(std::string_view source) : source_(source) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMostDepth)
      throw Error::bad_input(
          source_, "is nested too deeply",
          {.expected = fmt::format("at most {} levels", kMostDepth), .got = "more", .hint = {}});
    if (event == Json::parse_event_t::object_start) members_.emplace_back();
    if (event == Json::parse_event_t::object_end) members_.pop_back();
    if (event == Json::parse_event_t::key &&
        !members_.back().insert(parsed.get<std::string>()).second)
      throw Error::bad_input(source_, "has a member twice",
                             {.expected = {}, .got = parsed.get<std::string>(), .hint = {}});
    return true;
  }

 private:
  std::string_view source_;
  std::vector<std::set<std::string>> members_;  // of the objects that are open
};

}  // namespace

void JsonField::fail(std::string_view what, const std::string& expected,
                     const std::string& got) const {
  throw Error::bad_input(source_,
                         path_.empty() ? std::string(what) : fmt::format("{} {}", path_, what),
                         {.expected = expected, .got = got, .hint = {}});
}

std::string JsonField::shown() const {
  const Json& json = tree_of(json_);
  return json.is_primitive() ? json.dump() : std::string("an ") + json.type_name();
}

bool JsonField::has(std::string_view name) const {
  const Json& json = tree_of(json_);
  return json.is_object() && json.contains(name);
}

JsonField JsonField::member(std::string_view name) const {
  const Json& json = tree_of(json_);
  if (!json.is_object()) fail("is no object", "object", shown());
  const auto found = json.find(name);
  if (found == json.end()) fail("lacks a member", std::string(name), "none");
  return {&*found, source_, path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name)};
}

void JsonField::only(const std::vector<std::string_view>& names) const {
  const Json& json = tree_of(json_);
  if (!json.is_object()) fail("is no object", "object", shown());
  for (const auto& [name, value] : json.items())
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail("has an unknown member",
           names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")), name);
}

std::size_t JsonField::size() const {
  const Json& json = tree_of(json_);
  if (!json.is_array()) fail("is no list", "list", shown());
  return json.size();
}

JsonField JsonField::item(std::size_t index) const {
  const Json& json = tree_of(json_);
  if (index >= size()) fail("is too short", std::to_string(index + 1), std::to_string(size()));
  return {&json[index], source_, fmt::format("{}[{}]", path_, index)};
}

std::string JsonField::text() const {
  const Json& json = tree_of(json_);
  if (!json.is_string()) fail("is no text", "string", shown());
  return json.get<std::string>();
}

bool JsonField::boolean() const {
  const Json& json = tree_of(json_);
  if (!json.is_boolean()) fail("is neither true nor false", "boolean", shown());
  return json.get<bool>();
}

std::int64_t JsonField::integer(std::int64_t least, std::int64_t most) const {
  const Json& json = tree_of(json_);
  const bool beyond = json.is_number_unsigned() &&
                      json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  if (!json.is_number_integer() || beyond || json.get<std::int64_t>() < least ||
      json.get<std::int64_t>() > most)
    fail("is out of range", fmt::format("integer {}..{}", least, most), shown());
  return json.get<std::int64_t>();
}

float JsonField::number() const {
  const Json& json = tree_of(json_);
  // Converting a double beyond float's range is undefined.
  const double value = json.is_number() ? json.get<double>() : std::nan("");
  if (!(std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
    fail("is no number", "a finite fp32 number", shown());
  return static_cast<float>(value);
}

struct JsonDocument::Tree {
  Json json;
};

JsonDocument::JsonDocument(std::string_view text, std::string_view source)
    : tree_(std::make_unique<Tree>()), source_(source) {
  try {
    ParseGuard guard(source);
    tree_->json = Json::parse(text, [&guard](int depth, Json::parse_event_t event, Json& parsed) {
      return guard(depth, event, parsed);
    });
  } catch (const Json::exception& problem) {
    throw Error::bad_input(source, "is not JSON: " + json_problem(problem.what()));
  }
}

JsonDocument::~JsonDocument() = default;

JsonField JsonDocument::top() const { return {&tree_->json, source_, {}}; }

}  // namespace deepinfer
