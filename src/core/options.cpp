#include "deepinfer/options.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/option_values.h"

namespace deepinfer {
namespace {

/// Variables that the seed spelled DEEPINFER_NEURON_<NAME>, of those this build has.
constexpr std::array<std::string_view, 6> kSeedNames = {
    "GRAPH_MODE", "PREFILL_BUCKET", "FULLGRAPH", "COMPILE_BACKEND", "REGION_TIMING", "ALIAS_DEBUG"};

struct Variable {
  std::string name;
  std::string text;
};

std::optional<Variable> variable_of(const OptionSpec& spec, const Environment& getenv_fn) {
  if (spec.variable.empty() || !getenv_fn) return std::nullopt;
  std::vector<std::string> names = {"DEEPINFER_" + std::string(spec.variable)};
  if (std::find(kSeedNames.begin(), kSeedNames.end(), spec.variable) != kSeedNames.end())
    names.push_back("DEEPINFER_NEURON_" + std::string(spec.variable));
  for (std::string& name : names)
    if (const char* text = getenv_fn(name.c_str()); text != nullptr)
      return Variable{.name = std::move(name), .text = text};
  return std::nullopt;
}

/// Index of the flag's row; an error if no row has it.
std::size_t row_of(std::string_view flag) {
  const auto table = option_table();
  for (std::size_t row = 0; row < table.size(); ++row)
    if (flag == table[row].flag || (!flag.empty() && flag == table[row].short_flag)) return row;
  throw Error::bad_input(flag.empty() ? "options" : flag, "unknown option",
                         {.expected = "a listed option",
                          .got = quoted_text(flag),
                          .hint = "see deepinfer <command> --help"});
}

}  // namespace

std::string_view name_of(GraphMode mode) {
  switch (mode) {
    case GraphMode::eager:
      return "eager";
    case GraphMode::whole:
      return "whole";
    case GraphMode::regions:
      return "regions";
  }
  return "?";
}

ResolvedOptions resolve_options(std::span<const FlagValue> flags, const Environment& getenv_fn) {
  const auto table = option_table();
  std::vector<std::vector<const FlagValue*>> flags_of(table.size());
  for (const FlagValue& flag : flags) flags_of[row_of(flag.flag)].push_back(&flag);

  ResolvedOptions resolved;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const OptionSpec& spec = table[row];
    ResolvedOption origin{
        .spec = &spec, .value = {}, .source = OptionSource::default_value, .variable = {}};
    if (!flags_of[row].empty()) {  // a flag wins: the variable is not even read
      origin.source = OptionSource::flag;
      for (const FlagValue* flag : flags_of[row])
        spec.set(resolved.options, flag->text, flag->flag);
    } else if (auto variable = variable_of(spec, getenv_fn)) {
      spec.set(resolved.options, variable->text, variable->name);
      origin.source = OptionSource::environment;
      origin.variable = std::move(variable->name);
    } else if (spec.default_text && getenv_fn) {
      const std::string text = spec.default_text(getenv_fn);
      if (!text.empty()) spec.set(resolved.options, text, spec.flag);
    }
    origin.value = spec.get(resolved.options);
    resolved.origin.push_back(std::move(origin));
  }
  return resolved;
}

}  // namespace deepinfer
