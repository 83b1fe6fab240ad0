// parse_config_json(): nlohmann's parser made strict. Apart from syntax it refuses what the parser
// would let pass or report without a name: duplicate fields, deep nesting, numbers beyond double.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "checkpoint/config_fields.h"
#include "core/json_problem.h"

namespace deepinfer {
namespace {

using nlohmann::json;

// The released file has 3 KB and nests three deep.
constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;
constexpr int kMaxDepth = 32;

constexpr int kNumberOverflow = 406;  // nlohmann's out_of_range id of a literal such as 1e400

constexpr std::array<std::string_view, 10> kFractionalFields{
    "swiglu_limit",          "rms_norm_eps", "rope_theta", "compress_rope_theta", "gate_temp",
    "routed_scaling_factor", "hc_eps",       "factor",     "beta_fast",           "beta_slow"};

/// Follows the parser's events to know the path of the value being read.
class PathWatcher {
 public:
  explicit PathWatcher(std::string_view where) : where_(where) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (depth > kMaxDepth) {
      config_fault(where_, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start || event == Event::array_start) {
      names_.resize(level);
      seen_.resize(level + 1);
      seen_.back().clear();
    } else if (event == Event::key) {
      // The parser reports a key at the depth of its values, one below its object's.
      names_.resize(level);
      names_.back() = parsed.get<std::string>();
      if (!seen_[level - 1].insert(names_.back()).second) {
        config_fault(where_, "duplicate field " + path());
      }
    }
    return true;
  }

  std::string path() const {
    std::string text;
    for (const std::string& name : names_) {
      if (!text.empty() && !name.empty()) text += '.';
      text += name;
    }
    return text;
  }

  bool at_fractional_field() const {
    return !names_.empty() && std::find(kFractionalFields.begin(), kFractionalFields.end(),
                                        names_.back()) != kFractionalFields.end();
  }

 private:
  std::string where_;
  std::vector<std::string> names_;           ///< of the fields around the current value
  std::vector<std::set<std::string>> seen_;  ///< field names of the open objects, by depth
};

/// The literal at the end of nlohmann's "number overflow parsing '1e400'".
std::string overflowing_literal(std::string_view message) {
  const auto last = message.rfind('\'');
  const auto first =
      last == 0 || last == std::string_view::npos ? last : message.rfind('\'', last - 1);
  if (first == std::string_view::npos || first == last) return "a number beyond double";
  return std::string(message.substr(first + 1, std::min<std::size_t>(last - first - 1, 80)));
}

}  // namespace

json parse_config_json(std::string_view text, std::string_view where) {
  if (text.size() > kMaxConfigBytes) {
    config_fault(
        where, "file is too large",
        {"at most " + std::to_string(kMaxConfigBytes) + " bytes", std::to_string(text.size()), ""});
  }
  PathWatcher watcher(where);
  try {
    return json::parse(text, std::ref(watcher));
  } catch (const json::out_of_range& error) {
    if (error.id != kNumberOverflow) throw;
    const std::string literal = overflowing_literal(error.what());
    config_fault(where, watcher.path() +
                            (watcher.at_fractional_field() ? " must be a finite number, got "
                                                           : " must be a positive integer, got ") +
                            literal);
  } catch (const json::exception& error) {
    config_fault(where, "not valid JSON: " + json_problem(error.what()));
  }
}

}  // namespace deepinfer
