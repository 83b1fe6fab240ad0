#include "cli/engine_start.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/console.h"
#include "cli/idle_options.h"
#include "cli/interrupt.h"
#include "cli/progress_bar.h"

namespace deepinfer::cli {

CaptureProgress show_capture() {
  auto bar = std::make_shared<ProgressBar>("capturing graphs");
  // In thousandths of a size, since a size may be many programs.
  const auto show = [bar](double sizes, int count) {
    throw_if_interrupted();
    constexpr double kParts = 1000;
    bar->update(static_cast<std::uint64_t>(sizes * kParts),
                static_cast<std::uint64_t>(count * kParts));
  };
  return {.size =
              [bar, show](const CaptureInfo& /*done*/, int index, int count) {
                show(index + 1, count);
                if (index + 1 == count) bar->end();
              },
          .programs =
              [show](std::size_t done, std::size_t programs, int index, int count) {
                show(index + static_cast<double>(done) / static_cast<double>(programs), count);
              }};
}

double milliseconds_of(const std::vector<CaptureInfo>& captures) {
  double sum = 0;
  for (const CaptureInfo& capture : captures) sum += capture.compile_ms + capture.first_run_ms;
  return sum;
}

StartedEngine start_engine(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  StartedEngine started{
      .engine = std::make_unique<Engine>(options, show_capture()), .load_ms = 0, .capture_ms = 0};
  throw_if_interrupted();
  const std::chrono::duration<double, std::milli> total = std::chrono::steady_clock::now() - start;
  started.capture_ms = milliseconds_of(started.engine->runner().captures());
  started.load_ms = total.count() - started.capture_ms;
  return started;
}

void say_options(const ResolvedOptions& resolved) {
  for (const ResolvedOption& option : resolved.origin)
    if (option.source != OptionSource::default_value)
      log(resolved.options, LogLevel::debug,
          one_line(fmt::format("option {} is {} ({})", option.spec->flag, option.value,
                               option.source == OptionSource::flag ? "flag" : option.variable)));
  warn_options_idle_in_backend(resolved);
  warn_options_idle_without_trace(resolved);
}

void say_start(const Options& options, const Checkpoint& checkpoint, const StartInfo& info) {
  for (const std::string& warning : checkpoint.warnings())
    log(options, LogLevel::warning, "warning: " + one_line(warning));
  log(options, LogLevel::info, start_table(info));
}

void say_capture(const Options& options, const GraphRunner& runner) {
  for (const std::string& note : runner.notes())
    log(options, LogLevel::warning, "warning: " + one_line(note));
  if (options.alias_debug) say(runner.alias_report());
}

void say_start(const StartedEngine& started) {
  const Engine& engine = *started.engine;
  say_capture(engine.options(), engine.runner());
  say_start(engine.options(), engine.checkpoint(),
            {.fullgraph = engine.options().fullgraph,
             .captures = engine.runner().captures(),
             .left_out = engine.runner().left_out(),
             .backend = engine.runner().backend_description(),
             .kv_bytes = engine.kv_bytes(),
             .state_bytes = engine.state_bytes(),
             .max_context = engine.max_context(),
             .memory = engine.memory(),
             .load_ms = started.load_ms});
}

}  // namespace deepinfer::cli
