// make bench-graphs: what graphs are worth, in one table from one run (docs/graphs.md).
// With --bundled the bundled model only: seconds, and no large file. With --pjrt FILE the bundled
// model on the device behind that plug-in (minutes on the CPU plug-in, most of them compiling).

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/graphs/experiment.h"
#include "bench/graphs/overhead.h"
#include "bench/graphs/random_model.h"

namespace deepinfer::bench {
namespace {

constexpr const char* kBundled = "models/DeepInfer-V4.1-tiny";
constexpr const char* kReleased = "tests/data/released";
constexpr std::size_t kLongPrompt = 715;  // the starting document's: 6 chunks of 128
constexpr double kOriginal = 978.0 / 26;  // its seconds, eager prefill against graphs
// What a step may cost besides its ops' own work: on a model whose ops last microseconds, and of a
// step at released widths.
constexpr double kMostUs = 25;
constexpr double kMostShare = 0.02;
constexpr int kDecodeSteps = 20;  // whose median counts
constexpr int kChunkSteps = 3;    // seconds each at released widths

struct Mode {
  GraphMode mode;
  std::string_view name;
};
constexpr Mode kModes[] = {
    {GraphMode::eager, "eager"}, {GraphMode::whole, "whole"}, {GraphMode::regions, "regions"}};

Options options_of(GraphMode mode) {
  Options options;
  options.graph_mode = mode;
  options.layout = mode == GraphMode::regions ? Layout::layer_major : Layout::block_major;
  options.max_batch = 1;
  options.max_context = 2048;
  options.kv_memory = std::int64_t{64} << 20;
  return options;
}

std::unique_ptr<Runtime> open(const std::string& directory, const Options& options) {
  return std::make_unique<Runtime>(open_model(directory, options.engram), options);
}

void print(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

/// What replays of compiled graphs cost besides their ops, at worst.
struct ReplayCost {
  double us = 0;     ///< per step
  double share = 0;  ///< of a step's time, by the clock around every op
};

/// Times of the long prompt in every mode, and what a step costs besides its ops.
ReplayCost report(const std::string& directory, const std::vector<std::int32_t>& prompt) {
  ReplayCost worst;
  double eager_rows = 0;
  double whole_chunks = 0;
  print(fmt::format("{:<9}{:>16}{:>16}{:>14}{:>16}{:>14}{:>16}", "mode", "715 rows one",
                    "in 6 chunks", "decode step", "outside ops", "chunk step", "outside ops"));
  for (const Mode& mode : kModes) {
    const auto runtime = open(directory, options_of(mode.mode));
    const int bucket = runtime->options().prefill_bucket;
    const double chunks = prompt_seconds(*runtime, prompt, bucket);
    std::string rows = "-";  // what graphs replace: measured without them
    if (mode.mode == GraphMode::eager) {
      eager_rows = prompt_seconds(*runtime, prompt, 1);
      rows = fmt::format("{:.3f} s", eager_rows);
    }
    if (mode.mode == GraphMode::whole) whole_chunks = chunks;
    const OpShare decode = op_share(*runtime, 1, kDecodeSteps);
    const OpShare chunk = op_share(*runtime, bucket, kChunkSteps);
    const auto percent = [](const OpShare& share) {
      return 100 * share.outside_ms / share.step_ms;
    };
    if (mode.mode != GraphMode::eager)
      worst.share = std::max({worst.share, percent(decode) / 100, percent(chunk) / 100});
    print(fmt::format("{:<9}{:>16}{:>14.3f} s{:>11.3f} ms{:>14.2f} %{:>11.3f} ms{:>14.2f} %",
                      mode.name, rows, chunks, decode.step_ms, percent(decode), chunk.step_ms,
                      percent(chunk)));
  }
  print(
      fmt::format("one row at a time without graphs / chunks through whole graphs: {:.1f} times "
                  "(the original: {:.1f})",
                  eager_rows / whole_chunks, kOriginal));
  const Model model = open_model(directory, EngramMode::automatic);
  for (const Mode& mode : kModes) {
    const Options options = options_of(mode.mode);
    const double one = step_overhead_us(model, options, 1);
    const double bucket = step_overhead_us(model, options, options.prefill_bucket);
    print(fmt::format("{:<9}a step besides its ops: {:.1f} us for 1 row, {:.1f} us for {}",
                      mode.name, one, bucket, options.prefill_bucket));
    if (mode.mode != GraphMode::eager) worst.us = std::max({worst.us, one, bucket});
  }
  return worst;
}

/// Says whether `got` is within what replays may cost.
bool within(std::string_view what, double got, double limit, std::string_view unit) {
  print(fmt::format("replay overhead, {}: at most {:.2f} {}, {} are allowed{}", what, got, unit,
                    limit, got <= limit ? "" : ": TOO MUCH"));
  return got <= limit;
}

void evals(const EvalSet& set) {
  print(fmt::format("{:<9}{:>20}{:>20}", "mode", "short evals", "long evals"));
  for (const Mode& mode : kModes) {
    const auto runtime = open(kBundled, options_of(mode.mode));
    const EvalResult brief = run_evals(*runtime, set.short_cases);
    const EvalResult lengthy = run_evals(*runtime, set.long_cases);
    print(fmt::format(
        "{:<9}{:>20}{:>20}", mode.name,
        fmt::format("{}/{} in {:.2f} s", brief.correct, set.short_cases.size(), brief.seconds),
        fmt::format("{}/{} in {:.2f} s", lengthy.correct, set.long_cases.size(), lengthy.seconds)));
  }
}

std::vector<std::int32_t> long_prompt(const EvalSet& set) {
  std::vector<std::int32_t> tokens;
  for (const EvalCase& entry : set.long_cases)
    tokens.insert(tokens.end(), entry.tokens.begin(), entry.tokens.end());
  tokens.resize(kLongPrompt);
  return tokens;
}

/// The same on a device: its programs, compiled anew, and the long prompt through them.
void report_device(const std::string& plugin, const EvalSet& set) {
  const std::vector<std::int32_t> prompt = long_prompt(set);
  double eager_rows = 0;
  double whole_chunks = 0;
  print(fmt::format("{:<9}{:>10}{:>12}{:>16}{:>14}{:>14}{:>13}{:>13}", "mode", "programs",
                    "compiled in", "715 rows one", "in 6 chunks", "decode step", "short evals",
                    "long evals"));
  for (const Mode& mode : kModes) {
    Options options = options_of(mode.mode);
    options.backend = BackendKind::pjrt;
    options.pjrt_plugin = plugin;
    const auto runtime = open(kBundled, options);
    if (mode.mode == kModes[0].mode) print(runtime->runner().backend_description());
    double compile_ms = 0;
    for (const CaptureInfo& info : runtime->runner().captures()) compile_ms += info.compile_ms;
    const double chunks = prompt_seconds(*runtime, prompt, options.prefill_bucket);
    std::string rows = "-";
    if (mode.mode == GraphMode::eager) {
      eager_rows = prompt_seconds(*runtime, prompt, 1);
      rows = fmt::format("{:.3f} s", eager_rows);
    }
    if (mode.mode == GraphMode::whole) whole_chunks = chunks;
    constexpr std::size_t kSteps = 50;
    const double decode_ms =
        1000 * prompt_seconds(*runtime, {prompt.begin(), prompt.begin() + kSteps}, 1) / kSteps;
    const auto score = [&](const std::vector<EvalCase>& cases) {
      return fmt::format("{}/{}", run_evals(*runtime, cases).correct, cases.size());
    };
    print(fmt::format("{:<9}{:>10}{:>10.1f} s{:>16}{:>12.3f} s{:>11.3f} ms{:>13}{:>13}", mode.name,
                      runtime->runner().compiles(), compile_ms / 1000, rows, chunks, decode_ms,
                      score(set.short_cases), score(set.long_cases)));
  }
  print(
      fmt::format("one row at a time without graphs / chunks through whole graphs: {:.1f} times "
                  "(the original: {:.1f})",
                  eager_rows / whole_chunks, kOriginal));
}

void run_device(const std::string& plugin) {
  const EvalSet set = read_eval_set(std::string(kBundled) + "/eval.json", 128);
  print("bundled model, compiled without a cache; one decode size and the bucket of 128");
  report_device(plugin, set);
}

/// False if replays cost more than they may.
bool run(bool bundled_only) {
  const EvalSet set = read_eval_set(std::string(kBundled) + "/eval.json", 128);
  const std::vector<std::int32_t> prompt = long_prompt(set);
  {
    const auto runtime = open(kBundled, options_of(GraphMode::whole));
    print(fmt::format("bundled model, {}", runtime->runner().backend_description()));
  }
  evals(set);
  bool good = within("bundled model", report(kBundled, prompt).us, kMostUs, "us per step");
  if (bundled_only) return good;
  const RandomModel large(kReleased, kBundled);
  print(fmt::format("\nrandom model of released widths, 3 layers, 24 experts, {:.1f} GB",
                    static_cast<double>(large.bytes()) / 1e9));
  const ReplayCost cost = report(large.directory(), prompt);
  good &= within("released widths", 100 * cost.share, 100 * kMostShare, "% of a step");
  return good;
}

}  // namespace
}  // namespace deepinfer::bench

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool bundled = arguments == std::vector<std::string>{"--bundled"};
  const bool device = arguments.size() == 2 && arguments.front() == "--pjrt";
  if (!bundled && !device && !arguments.empty()) {
    std::fprintf(stderr, "usage: bench_graphs [--bundled | --pjrt PLUGIN]\n");
    return 2;
  }
  try {
    if (device) {
      deepinfer::bench::run_device(arguments.back());
      return 0;
    }
    return deepinfer::bench::run(bundled) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
