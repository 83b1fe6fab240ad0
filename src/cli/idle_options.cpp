#include "cli/idle_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"

namespace deepinfer::cli {

void warn_idle_options(const ResolvedOptions& resolved, const std::vector<std::string_view>& flags,
                       std::string_view where, bool variables_too) {
  for (const ResolvedOption& option : resolved.origin) {
    if (option.source == OptionSource::default_value) continue;
    if (option.source == OptionSource::environment && !variables_too) continue;
    if (std::find(flags.begin(), flags.end(), option.spec->flag) == flags.end()) continue;
    const std::string standard = option.spec->get(Options{});
    if (option.value == standard) continue;
    log(resolved.options, LogLevel::warning,
        one_line(fmt::format(
            "warning: [{}] has no effect {}, expected {}, got {}",
            option.source == OptionSource::environment ? option.variable : option.spec->flag, where,
            standard.empty() ? "none" : standard, option.value)));
  }
}

void warn_options_idle_in_backend(const ResolvedOptions& resolved, bool plugin_shown) {
  // The reference is plain C++ on one thread.
  if (resolved.options.backend == BackendKind::reference)
    warn_idle_options(resolved, {"--threads", "--isa"}, "with --backend reference", true);
  // A plug-in has kernels of its own. Its threads, too, are not ours; but ours have it compile.
  const bool pjrt = resolved.options.backend == BackendKind::pjrt;
  if (pjrt) warn_idle_options(resolved, {"--isa"}, "with --backend pjrt", true);
  // A variable may name the machine's plug-in once and for all.
  if (!plugin_shown && !pjrt)
    warn_idle_options(resolved,
                      {"--pjrt-plugin", "--pjrt-options", "--compile-backend", "--compile-cache"},
                      "without a backend that runs on a plug-in", false);
}

void warn_options_idle_without_trace(const ResolvedOptions& resolved) {
  if (resolved.options.trace_file.empty())
    warn_idle_options(resolved, {"--trace-steps"}, "without --trace-file", true);
}

void warn_options_idle_in_greedy(const ResolvedOptions& resolved) {
  if (resolved.options.temperature == 0)
    warn_idle_options(resolved, {"--seed", "--top-p", "--top-k", "--min-p"}, "at --temperature 0",
                      true);
}

}  // namespace deepinfer::cli
