#include "backend/pjrt/facts/device_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "deepinfer/error.h"

namespace deepinfer::pjrt {
namespace {

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string text_of(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return fmt::format("{}", std::get<double>(value));
}

}  // namespace

const DeviceFacts& other_facts() {
  static const DeviceFacts facts = {
      .family = "other",
      .files = {},
      .platform = {},
      .types = {.f8e4m3fn = true, .f4e2m1fn = true},  // where the device says that it has them
  };
  return facts;
}

std::span<const DeviceFacts* const> known_families() {
  static const std::array<const DeviceFacts*, 4> families = {&cpu_facts(), &neuron_facts(),
                                                             &cuda_facts(), &tpu_facts()};
  return families;
}

const DeviceFacts& facts_of_file(std::string_view file) {
  const std::string name = std::filesystem::path(file).filename().string();
  for (const DeviceFacts* facts : known_families())
    for (const std::string_view part : facts->files)
      if (name.find(part) != std::string::npos) return *facts;
  return other_facts();
}

const DeviceFacts& facts_of(std::string_view file, std::string_view platform) {
  const DeviceFacts& by_file = facts_of_file(file);
  if (&by_file != &other_facts()) return by_file;
  for (const DeviceFacts* facts : known_families())
    if (facts->platform == platform) return *facts;
  return other_facts();
}

const DeviceFacts& facts_named(std::string_view family, std::string_view where) {
  std::string names;
  for (const DeviceFacts* facts : known_families()) {
    if (facts->family == family) return *facts;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", facts->family);
  }
  if (family == other_facts().family) return other_facts();
  throw Error::bad_input(where, "unknown kind of device",
                         {.expected = fmt::format("{} or {}", names, other_facts().family),
                          .got = std::string(family),
                          .hint = {}});
}

void prepare_environment(const DeviceFacts& facts, std::string_view file,
                         std::string_view header_version) {
  for (const EnvironmentVariable& variable : facts.environment) {
    const std::string name(variable.name);
    if (std::getenv(name.c_str()) != nullptr) continue;
    if (variable.value.empty())
      throw Error::bad_input(file, variable.refusal,
                             {.expected = {}, .got = {}, .hint = std::string(variable.hint)});
    const bool version = variable.value == EnvironmentVariable::kHeaderVersion;
    setenv(name.c_str(), std::string(version ? header_version : variable.value).c_str(), 0);
  }
}

std::vector<NamedOption> client_options(const DeviceFacts& facts, std::vector<NamedOption> own) {
  for (const NamedOption& standard : facts.client_options) {
    const bool named = std::any_of(own.begin(), own.end(), [&](const NamedOption& option) {
      return option.name == standard.name;
    });
    if (!named) own.push_back(standard);
  }
  return own;
}

std::vector<std::pair<std::string, std::string>> list_facts(const DeviceFacts& facts) {
  std::vector<std::pair<std::string, std::string>> list = {{"family", std::string(facts.family)}};
  for (const EnvironmentVariable& variable : facts.environment) {
    const char* value = std::getenv(std::string(variable.name).c_str());
    list.emplace_back(variable.name, value == nullptr ? "not set" : value);
  }
  for (const NamedOption& option : facts.client_options)
    list.emplace_back("client option " + option.name, text_of(option.value));
  list.emplace_back("type f8E4M3FN", facts.types.f8e4m3fn ? "if the device has it" : "never used");
  list.emplace_back("type f4E2M1FN", facts.types.f4e2m1fn ? "if the device has it" : "never used");
  list.emplace_back("other codes by",
                    facts.types.otherwise == Decoding::table ? "table" : "arithmetic");
  list.emplace_back("selection by",
                    facts.types.selection == Selection::sort ? "sorting" : "counting");
  list.emplace_back("typed columns apart", yes_or_no(facts.typed_columns_apart));
  list.emplace_back("32-bit addresses", yes_or_no(facts.narrow_addresses));
  list.emplace_back("runs are awaited", yes_or_no(facts.awaits_runs));
  list.emplace_back("empty buffers", yes_or_no(facts.empty_buffers));
  if (!facts.compiler_cache.empty())
    list.emplace_back("compiler's own cache", facts.compiler_cache);
  return list;
}

}  // namespace deepinfer::pjrt
