#include "cli/observation.h"

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/output_file.h"

namespace deepinfer::cli {
namespace {

constexpr const char* kTraceFlag = "--trace-file";

}  // namespace

Observation::Observation(const Options& options, bool keep) : options_(options), keep_(keep) {
  if (!options.trace_file.empty()) {
    OutputFile::check(options.trace_file, kTraceFlag);
    trace_.emplace(options.trace_steps);
    watchers_.add(*trace_);
  }
  if (options.region_timing) {
    profiler_.emplace([this](const StepProfile& profile) { take(profile); });
    timing_.emplace([this](const StepTiming& timing) { take(timing); });
    watchers_.add(*profiler_);
    watchers_.add(*timing_);
  }
}

void Observation::take(const StepTiming& timing) {
  say(to_text(timing));  // asked for by name: whatever the log level
  if (!keep_) return;
  KeptTiming kept{.step = timing, .regions = {}};
  kept.step.regions = {};
  for (const RegionTime& region : timing.regions)
    kept.regions.push_back(
        {.kind = std::string(region.kind), .count = region.count, .mean_ms = region.mean_ms()});
  timings_.push_back(std::move(kept));
}

void Observation::take(const StepProfile& profile) {
  profiled_ = true;
  say(to_text(profile));
  if (!keep_) return;
  KeptProfile kept{.step = profile, .ops = {}};
  kept.step.ops = {};
  kept.ops.reserve(profile.ops.size());
  for (const ProfiledOp& op : profile.ops)
    kept.ops.push_back({.op = *op.op,
                        .ms = op.ms,
                        .gb_per_s = op.gb_per_s(),
                        .gflop_per_s = op.gflop_per_s(),
                        .share = op.share});
  profile_ = std::move(kept);
}

void Observation::finish() const {
  if (profiler_.has_value() && !profiled_)
    say(fmt::format("no profile: the run ended before step {}", kProfiledStep));
  if (!trace_.has_value()) return;
  OutputFile file(options_.trace_file, kTraceFlag);
  trace_->write([&file](std::string_view piece) { file.write(piece); });
  file.commit();
  log(options_, LogLevel::info,
      one_line(
          fmt::format("trace of {} steps written to {}", trace_->steps(), options_.trace_file)));
}

}  // namespace deepinfer::cli
