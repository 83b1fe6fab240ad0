#include "cli/bench_report.h"
#include "cli/json_output.h"
#include "measure/limit_time.h"

namespace deepinfer::cli {
namespace {

constexpr double kBytesPerMegabyte = 1e6;

Json json_of(const Spread& spread) {
  return {{"samples", spread.samples},
          {"min", spread.min},
          {"median", spread.median},
          {"max", spread.max}};
}

Json json_of(const MachineLimits& limits) {
  Json peaks = Json::array();
  for (const PeakRate& peak : limits.peaks)
    peaks.push_back(
        {{"type", peak.type}, {"instruction", peak.instruction}, {"gmac_per_s", peak.gmac_per_s}});
  return {{"isa", limits.isa},
          {"threads", limits.threads},
          {"read_gb_per_s", limits.read.gb_per_s},
          {"read_gb_per_s_median", limits.read.median_gb_per_s},
          {"read_streams", limits.read.streams},
          {"read_windows", limits.read.windows},
          {"read_buffer_bytes", limits.read.buffer_bytes},
          {"peaks", std::move(peaks)},
          {"product_type", product_peak(limits).type}};
}

/// Work, its time at the limits, and the time taken.
Json json_of(const Work& work, double ms, const MachineLimits& limits) {
  const LimitTime limit = limit_time(work, limits);
  const double gb_per_s = ms > 0 ? work.bytes / ms / kBytesPerMegabyte : 0;
  return {{"bytes", work.bytes},
          {"multiply_adds", work.macs},
          {"read_ms", limit.read_ms},
          {"multiply_ms", limit.multiply_ms},
          {"limit_ms", limit.ms()},
          {"ms", ms},
          {"ratio", ms > 0 ? limit.ms() / ms : 0},
          {"gb_per_s", gb_per_s},
          {"bandwidth_share", gb_per_s / limits.read.gb_per_s}};
}

/// `ms`: the whole step's, by the clock outside.
Json step_json(const StepWork& work, const ComponentTimes& times, double ms,
               const MachineLimits& limits) {
  Json components = Json::array();
  for (std::size_t i = 0; i < kComponents; ++i) {
    Json component = {{"name", name_of(static_cast<Component>(i))}};
    component.update(json_of(work.components[i], times.median.components[i], limits));
    components.push_back(std::move(component));
  }
  Json json = json_of(work.total(), ms, limits);
  json["observed_steps"] = times.steps;
  json["observed_ms"] = times.median.total;
  json["outside_ops_ms"] = times.median.outside_ops;
  json["outside_weight_ops_share"] = times.median.outside_weight_share;
  json["components"] = std::move(components);
  return json;
}

Json json_of(const PrefillResult& prefill, const MachineLimits& limits) {
  return {{"rows", prefill.chunk},
          {"tokens_per_s", json_of(prefill.tokens_per_s)},
          {"ms_per_step", json_of(prefill.step_ms)},
          {"distinct_experts", prefill.experts},
          {"step", step_json(prefill.work, prefill.times, prefill.step_ms.median, limits)}};
}

Json json_of(const DecodeResult& decode, const MachineLimits& limits) {
  const Spread& ms = decode.step_ms;
  return {{"batch", decode.batch},
          {"graph_rows", decode.graph_rows},
          {"tokens_per_s", json_of(Spread{.samples = ms.samples,
                                          .min = decode.tokens_per_s(ms.max),
                                          .median = decode.tokens_per_s(ms.median),
                                          .max = decode.tokens_per_s(ms.min)})},
          {"ms_per_step", json_of(ms)},
          {"bytes_per_token", decode.work.total().bytes / decode.batch},
          {"distinct_experts", decode.experts},
          {"step", step_json(decode.work, decode.times, ms.median, limits)}};
}

}  // namespace

std::string to_json_text(const BenchReport& report) {
  const BenchResult& result = report.result;
  Json decode = Json::array();
  for (const DecodeResult& one : result.decode) decode.push_back(json_of(one, report.limits));
  Json json = {{"model", report.model},
               {"backend", report.backend},
               {"prompt_tokens", report.request.prompt_tokens},
               {"gen_tokens", report.request.gen_tokens},
               {"repeat", report.request.repeat},
               {"limits", json_of(report.limits)},
               {"load_ms", report.load_ms},
               {"capture_ms", report.capture_ms},
               {"peak_resident_bytes", report.peak_resident},
               {"anonymous_bytes", report.anonymous},
               {"planned_bytes", report.planned},
               {"prefill", json_of(result.chunks, report.limits)}};
  if (result.rows.chunk > 0) json["prefill_row_by_row"] = json_of(result.rows, report.limits);
  json["decode"] = std::move(decode);
  return to_text(json);
}

}  // namespace deepinfer::cli
