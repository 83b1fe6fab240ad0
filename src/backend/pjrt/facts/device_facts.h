#pragma once

// What is known of families of PJRT plug-ins, one small file each: <family>_facts.cpp. Plain data
// with the source of each fact in a comment. Nothing else asks which device it has: loading, the
// layout of the caches and lowering read these fields. Needs no PJRT header; immutable.
//
// A plug-in's family is known by its file's name, which must do before it is loaded, else by the
// platform that its client names, else it is "other".

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/pjrt/client/named_value.h"
#include "backend/pjrt/facts/module_rules.h"
#include "backend/pjrt/stablehlo/lower.h"

namespace deepinfer::pjrt {

/// A variable that must have a value when the plug-in is loaded. What the user set stays.
struct EnvironmentVariable {
  /// Stands for the version of the PJRT header that this build was made with, "0.81".
  static constexpr std::string_view kHeaderVersion = "header version";

  std::string_view name;
  std::string_view value;    ///< set by us; empty: only the user can know it
  std::string_view refusal;  ///< for a value that only the user can know: what loading would do
  std::string_view hint;     ///< and what to set
};

struct DeviceFacts {
  std::string_view family;              ///< "neuron"
  std::vector<std::string_view> files;  ///< parts of file names; any of them names the family
  std::string_view platform;            ///< as clients name it
  std::vector<EnvironmentVariable> environment = {};
  std::vector<NamedOption> client_options = {};  ///< of clients, where the user gives no other
  std::string_view start_hint = {};              ///< where a client does not start

  TypeSupport types = {};  ///< types are also asked of the device; false here is final
  /// Differently typed columns of one root are taken for overlapping: they lie apart.
  bool typed_columns_apart = false;
  /// Addresses have 32 bits: roots are seen as rows, so --layout auto is block_major in all modes.
  bool narrow_addresses = false;
  bool awaits_runs = true;    ///< a run's own event can be waited for
  bool empty_buffers = true;  ///< buffers can be made without contents
  /// Where the plug-in's compiler keeps what it made, for people; empty: nowhere.
  std::string_view compiler_cache = {};
  ModuleRules rules = {};
};

const DeviceFacts& neuron_facts();
const DeviceFacts& tpu_facts();
const DeviceFacts& cuda_facts();
const DeviceFacts& cpu_facts();
/// What holds where nothing is known.
const DeviceFacts& other_facts();

/// All but other_facts().
std::span<const DeviceFacts* const> known_families();
/// By the file's name, not its folder; other_facts() if no family has such files.
const DeviceFacts& facts_of_file(std::string_view file);
/// As above; by the platform if the file's name says nothing.
const DeviceFacts& facts_of(std::string_view file, std::string_view platform);
/// Throws Error (bad_input) about `where` if `family` is none.
const DeviceFacts& facts_named(std::string_view family, std::string_view where);

/// Sets the variables that the plug-in needs at its loading and that are not set. Throws Error
/// (bad_input) about `file` if one is missing that only the user can know. Not thread-safe, as
/// setenv is not.
void prepare_environment(const DeviceFacts& facts, std::string_view file,
                         std::string_view header_version);

/// Options of a client: the user's, and the family's where the user named no other value.
std::vector<NamedOption> client_options(const DeviceFacts& facts, std::vector<NamedOption> own);

/// "name  value" for people who send a report: one line per fact.
std::vector<std::pair<std::string, std::string>> list_facts(const DeviceFacts& facts);

}  // namespace deepinfer::pjrt
