#include "cli/bench_report.h"

#include <fmt/format.h>

#include "measure/limit_time.h"

namespace deepinfer::cli {
namespace {

constexpr double kMega = 1e6;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr double kMebibyte = 1024.0 * 1024;

std::string limits_text(const MachineLimits& limits) {
  const ReadBandwidth& read = limits.read;
  std::string text = fmt::format(
      "limits of {} threads, {}, in this run: reads {:.1f} GB/s (best of {} windows over {:.2f} "
      "GiB, median {:.1f})\nmultiply-adds per second, 10^9:",
      limits.threads, limits.isa, read.gb_per_s, read.windows,
      static_cast<double>(read.buffer_bytes) / kGibibyte, read.median_gb_per_s);
  for (const PeakRate& peak : limits.peaks)
    text += fmt::format(" {} {:.0f} ({})", peak.type, peak.gmac_per_s, peak.instruction);
  return text + "\n";
}

std::string spread_text(const std::string& what, const std::string& unit, const Spread& spread) {
  return fmt::format("{:<44}{:>8}{:>12.3f}{:>12.3f}{:>12.3f}{:>9}\n", what, unit, spread.min,
                     spread.median, spread.max, spread.samples);
}

std::string run_text(const BenchReport& report) {
  const BenchResult& result = report.result;
  std::string text = fmt::format("{:<44}{:>8}{:>12}{:>12}{:>12}{:>9}\n", "", "", "min", "median",
                                 "max", "samples");
  const std::string prompt = fmt::format("prompt of {}", report.request.prompt_tokens);
  text += spread_text(fmt::format("{}, {} rows a step", prompt, result.chunks.chunk), "tok/s",
                      result.chunks.tokens_per_s);
  if (result.rows.chunk > 0)
    text += spread_text(prompt + ", one row a step", "tok/s", result.rows.tokens_per_s) +
            fmt::format("  chunks against rows: {:.2f} times as fast\n",
                        result.chunks.tokens_per_s.median / result.rows.tokens_per_s.median);
  for (const DecodeResult& decode : result.decode) {
    const Spread& ms = decode.step_ms;
    const std::string name = fmt::format("decode, batch {}", decode.batch);
    text += spread_text(name, "ms/step", ms);
    text += spread_text("", "tok/s",
                        {.samples = ms.samples,
                         .min = decode.tokens_per_s(ms.max),
                         .median = decode.tokens_per_s(ms.median),
                         .max = decode.tokens_per_s(ms.min)});
    const double bytes = decode.work.total().bytes;
    const double gb_per_s = ms.median > 0 ? bytes / ms.median / kMega : 0;
    text += fmt::format(
        "  reads {:.1f} MB a step, {:.1f} MB a token: {:.2f} GB/s, {:.1f} % of the read "
        "bandwidth\n",
        bytes / kMega, bytes / kMega / decode.batch, gb_per_s,
        100 * gb_per_s / report.limits.read.gb_per_s);
  }
  return text;
}

/// One line: work, its time at the limits, and the time taken.
std::string work_line(std::string_view name, const Work& work, double ms, double step_ms,
                      const MachineLimits& limits) {
  const LimitTime limit = limit_time(work, limits);
  return fmt::format("{:<24}{:>11.3f}{:>11.3f}{:>11.3f}{:>11.3f}{:>11.3f}{:>8.2f}{:>8.1f} %\n",
                     name, work.bytes / kMega, work.macs / kMega, limit.read_ms, limit.multiply_ms,
                     ms, ms > 0 ? limit.ms() / ms : 0, step_ms > 0 ? 100 * ms / step_ms : 0);
}

/// Where a step's time goes. `ms`: the whole step's, by the clock outside.
std::string components_text(const std::string& title, const StepWork& work,
                            const ComponentTimes& times, double ms, const MachineLimits& limits) {
  std::string text =
      fmt::format("\n{}\n{:<24}{:>11}{:>11}{:>11}{:>11}{:>11}{:>8}{:>10}\n", title, "", "MB",
                  "M mul-add", "read ms", "mul ms", "took ms", "ratio", "of step");
  for (std::size_t i = 0; i < kComponents; ++i)
    text += work_line(name_of(static_cast<Component>(i)), work.components[i],
                      times.median.components[i], times.median.total, limits);
  text += work_line("outside ops", {}, times.median.outside_ops, times.median.total, limits);
  text += work_line("step", work.total(), ms, ms, limits);
  if (times.steps > 0)
    text += fmt::format("outside the ops that multiply by weights: {:.1f} % of the step\n",
                        100 * times.median.outside_weight_share);
  return text;
}

}  // namespace

std::string to_text(const BenchReport& report) {
  const BenchResult& result = report.result;
  std::string text =
      fmt::format("{}, {}\n", report.model, report.backend) + limits_text(report.limits);
  text += fmt::format(
      "load {:.0f} ms, capture {:.0f} ms; peak resident {:.1f} MiB, weights' pages included; own "
      "memory {:.1f} MiB, planned {:.1f} MiB\n\n",
      report.load_ms, report.capture_ms, static_cast<double>(report.peak_resident) / kMebibyte,
      static_cast<double>(report.anonymous) / kMebibyte,
      static_cast<double>(report.planned) / kMebibyte);
  text += run_text(report);
  for (const PrefillResult* prefill : {&result.chunks, &result.rows})
    if (prefill->step_ms.samples > 0)
      text += components_text(
          fmt::format("prompt step of {} rows, {:.1f} different experts a layer expected",
                      prefill->chunk, prefill->experts),
          prefill->work, prefill->times, prefill->step_ms.median, report.limits);
  for (const DecodeResult& decode : result.decode)
    text += components_text(
        fmt::format("decode step of {} rows, {:.1f} different experts a layer counted",
                    decode.batch, decode.experts),
        decode.work, decode.times, decode.step_ms.median, report.limits);
  return text;
}

}  // namespace deepinfer::cli
