#pragma once

// Options that were given and change nothing: none is passed over in silence. Where an option can
// never matter, a command refuses it (refuse_options); where another option or the asked part of
// the output makes it idle, a warning says so and the command goes on.

#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace deepinfer::cli {

/// Says, as warnings, which of `flags` differ from their defaults: they have no effect `where`
/// ("with --backend reference"). Of variables, which may be meant for other commands, only if
/// `variables_too`.
void warn_idle_options(const ResolvedOptions& resolved, const std::vector<std::string_view>& flags,
                       std::string_view where, bool variables_too);

/// Options that the chosen backend does not look at. `plugin_shown`: the command shows the plug-in
/// without running it.
void warn_options_idle_in_backend(const ResolvedOptions& resolved, bool plugin_shown = false);

/// --trace-steps without a trace.
void warn_options_idle_without_trace(const ResolvedOptions& resolved);

/// Options of the sampler that greedy decoding does not look at.
void warn_options_idle_in_greedy(const ResolvedOptions& resolved);

}  // namespace deepinfer::cli
