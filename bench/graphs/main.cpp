// make bench-graphs: what graphs are worth, in one table from one run (docs/graphs.md).
// With --bundled the bundled model only: seconds, and no large file.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
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
constexpr int kDecodeSteps = 20;          // whose median counts
constexpr int kChunkSteps = 3;            // seconds each at released widths

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

/// Times of the long prompt in every mode, and what a step costs besides its ops.
void report(const std::string& directory, const std::vector<std::int32_t>& prompt) {
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
    print(fmt::format("{:<9}a step besides its ops: {:.1f} us for 1 row, {:.1f} us for {}",
                      mode.name, step_overhead_us(model, options, 1),
                      step_overhead_us(model, options, options.prefill_bucket),
                      options.prefill_bucket));
  }
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

void run(bool bundled_only) {
  const EvalSet set = read_eval_set(std::string(kBundled) + "/eval.json", 128);
  const std::vector<std::int32_t> prompt = long_prompt(set);
  {
    const auto runtime = open(kBundled, options_of(GraphMode::whole));
    print(fmt::format("bundled model, {}", runtime->runner().backend_description()));
  }
  evals(set);
  report(kBundled, prompt);
  if (bundled_only) return;
  const RandomModel large(kReleased, kBundled);
  print(fmt::format("\nrandom model of released widths, 3 layers, 24 experts, {:.1f} GB",
                    static_cast<double>(large.bytes()) / 1e9));
  report(large.directory(), prompt);
}

}  // namespace
}  // namespace deepinfer::bench

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const bool bundled_only = !arguments.empty() && arguments.front() == "--bundled";
  if (arguments.size() > (bundled_only ? 1U : 0U)) {
    std::fprintf(stderr, "usage: bench_graphs [--bundled]\n");
    return 2;
  }
  try {
    deepinfer::bench::run(bundled_only);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
