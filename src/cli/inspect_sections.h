#pragma once

// The sections of `deepinfer inspect`, each as text and as JSON. None reads weights or allocates
// caches: headers, the config and the options are enough. For .cpp files that use the JSON library.

#include <string>
#include <string_view>

#include "backend/pjrt/facts/device_facts.h"
#include "cli/json_output.h"
#include "deepinfer/checkpoint.h"
#include "deepinfer/options.h"

namespace deepinfer::cli {

struct Section {
  std::string text;
  Json json;
  bool failed = false;  ///< what it shows is wrong: the command's exit code is 1
};

Section config_section(const ModelConfig& config);
/// Tensors whose name matches `glob` (all if empty). Throws Error (bad_input) if none does.
Section tensors_section(const Checkpoint& checkpoint, const std::string& glob);
Section caches_section(const ModelConfig& config, const Options& options);
/// What --after calls the graph as it was built.
inline constexpr std::string_view kNoPass = "none";
/// The graph of a step of `rows` rows after the pass `after` (kPassNames; kNoPass or empty: as
/// built). As JSON it can be read back (graph_json.h).
Section graph_section(const ModelConfig& config, const Options& options, int rows,
                      const std::string& after);
/// What --after calls the StableHLO module of the graph after all passes.
inline constexpr std::string_view kModule = "stablehlo";
/// That module for a step of `rows` rows, for weights of the types that the config calls for; as
/// JSON with its parameters and results. As for a device of that family; nullptr: for any.
Section module_section(const ModelConfig& config, const Options& options, int rows,
                       const pjrt::DeviceFacts* facts);
/// Every distinct module of such a step in options.graph_mode, and which of the device's rules they
/// break.
Section modules_section(const ModelConfig& config, const Options& options, int rows,
                        const pjrt::DeviceFacts& facts);
/// The memory plan of a step of `rows` rows: weights, caches and arena by name. `directory`: where
/// the config is; weights need not be there.
Section plan_section(const ModelConfig& config, const std::string& directory,
                     const Options& options, int rows);
Section options_section(const ResolvedOptions& resolved);
/// With --pjrt-plugin also plugin_section().
Section machine_section(const Options& options);
/// What the PJRT plug-in says of itself and its devices, and what is taken for granted of its
/// family. Loads and starts it. Throws Error.
Section plugin_section(const Options& options);

}  // namespace deepinfer::cli
