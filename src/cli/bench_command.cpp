// `deepinfer bench`: how fast a model runs here, and how near that is to what the machine allows.

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/bench_report.h"
#include "cli/bundled_model.h"
#include "cli/bundled_plugin.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/engine_start.h"
#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "cli/token_list.h"
#include "core/option_values.h"
#include "core/process_memory.h"
#include "limits/limit_keeper.h"

namespace deepinfer::cli {
namespace {

struct BenchArguments {
  CommandLine* line = nullptr;
  std::optional<std::string> prompt_tokens;
  std::optional<std::string> gen_tokens;
  std::optional<std::string> batch;
  std::optional<std::string> repeat;
  std::optional<std::string> read_buffer;
  bool row_by_row = false;
  bool json = false;
};

void read_count(const std::optional<std::string>& text, std::string_view flag, int& target) {
  constexpr int kMost = 1 << 20;  // the longest context there is
  if (text.has_value())
    target = static_cast<int>(
        parse_integer({.where = flag, .accepted = "1 to 1048576"}, *text, 1, kMost));
}

BenchRequest read_request(const BenchArguments& arguments) {
  BenchRequest request;
  read_count(arguments.prompt_tokens, "--prompt-tokens", request.prompt_tokens);
  read_count(arguments.gen_tokens, "--gen-tokens", request.gen_tokens);
  read_count(arguments.repeat, "--repeat", request.repeat);
  request.row_by_row = arguments.row_by_row;
  if (arguments.batch.has_value())
    request.batches = parse_number_list(*arguments.batch, "--batch", "batch sizes such as 1,4,16");
  return request;
}

std::size_t read_buffer_bytes(const BenchArguments& arguments) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (!arguments.read_buffer.has_value()) return kReadBuffer;
  return static_cast<std::size_t>(
      parse_bytes({.where = "--read-buffer", .accepted = "bytes with K, M or G"},
                  *arguments.read_buffer, kMost));
}

int bench(const BenchArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  refuse_options(resolved, "bench",
                 {"--temperature", "--top-p", "--top-k", "--min-p", "--seed", "--max-tokens",
                  "--stop", "--region-timing", "--trace-file", "--trace-steps"});
  Options options = resolved.options;
  options.model = model_directory(options);
  options.pjrt_plugin = plugin_file(options);
  BenchReport report;
  report.model = options.model;
  report.request = read_request(arguments);
  const std::size_t buffer_bytes = read_buffer_bytes(arguments);

  remember_interrupts();
  const auto start = std::chrono::steady_clock::now();
  Model model = open_model(options.model, options.engram);
  check_request(report.request, options, model.config());
  // No more than the run needs, unless the user says so: fewer sizes are captured.
  if (!is_given(resolved, "--max-batch"))
    options.max_batch =
        *std::max_element(report.request.batches.begin(), report.request.batches.end());
  if (options.max_context == 0) options.max_context = positions_of(report.request);
  Runtime runtime(std::move(model), options, false, show_capture());
  const std::chrono::duration<double, std::milli> opening =
      std::chrono::steady_clock::now() - start;
  report.capture_ms = milliseconds_of(runtime.runner().captures());
  report.load_ms = opening.count() - report.capture_ms;
  report.backend = runtime.runner().backend_description();
  report.planned = runtime.memory().total();
  say_options(resolved);

  LimitKeeper keeper(options.threads, options.isa, buffer_bytes);
  keeper.measure();
  {
    ProgressBar bar("measuring");
    report.result = run_bench(runtime, report.request,
                              {.progress =
                                   [&bar](int done, int count) {
                                     throw_if_interrupted();
                                     bar.update(static_cast<std::uint64_t>(done),
                                                static_cast<std::uint64_t>(count));
                                   },
                               .round_ends =
                                   [&] {
                                     throw_if_interrupted();
                                     report.anonymous = anonymous_resident();
                                     keeper.measure();
                                   }});
  }
  report.limits = keeper.limits();
  report.peak_resident = keeper.peak_resident_between();
  write_out(arguments.json ? to_json_text(report) : to_text(report));
  return 0;
}

}  // namespace

void add_bench_command(Program& program) {
  auto arguments = std::make_shared<BenchArguments>();
  CommandLine& line = program.command("bench", "measures speed, and how near it is to the limits");
  arguments->line = &line;
  line.value("--prompt-tokens", "N", "random tokens of a prompt (default: 128)",
             arguments->prompt_tokens);
  line.value("--gen-tokens", "N", "decode steps per batch and repeat (default: 32)",
             arguments->gen_tokens);
  line.value("--batch", "SIZES", "sequences decoded together, e.g. 1,4,16 (default: 1)",
             arguments->batch);
  line.value("--repeat", "N", "rounds, each over all sizes (default: 3)", arguments->repeat);
  line.flag("--row-by-row", "also runs the prompt one row at a time", arguments->row_by_row);
  line.value("--read-buffer", "BYTES",
             "what read bandwidth is measured over (default: 1G); be above all caches",
             arguments->read_buffer);
  line.flag("--json", "one JSON object", arguments->json);
  line.all_options();
  line.footer(
      "Tokens are random and the same every time. A step's bytes are those it must read: weights, "
      "chosen experts, cache records, table rows. A ratio is the time that bytes or multiply-adds "
      "take at the limits, whichever is longer, by the time taken.");
  line.action([arguments] { return bench(*arguments); });
}

}  // namespace deepinfer::cli
