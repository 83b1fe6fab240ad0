// `deepinfer logits`: runs a token list exactly as asked and writes what came out.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "cli/bundled_model.h"
#include "cli/bundled_plugin.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/engine_start.h"
#include "cli/interrupt.h"
#include "cli/logits_run.h"
#include "cli/observation.h"
#include "cli/output_file.h"
#include "cli/safetensors_writer.h"
#include "cli/text_file.h"
#include "cli/token_list.h"
#include "core/option_values.h"

namespace deepinfer::cli {
namespace {

struct LogitsArguments {
  CommandLine* line = nullptr;
  std::optional<std::string> tokens;
  std::optional<std::string> tokens_file;
  std::optional<std::string> chunks;
  std::optional<std::string> greedy;
  std::optional<std::string> out;
  bool all_positions = false;
  bool trace = false;
};

/// Where the tokens are from, for errors about them.
std::string tokens_source(const LogitsArguments& arguments) {
  return arguments.tokens_file.has_value() ? source_name(*arguments.tokens_file) : "--tokens";
}

/// The request as far as it can be checked without a model. Tokens may still be empty.
LogitsRequest read_request(const LogitsArguments& arguments) {
  LogitsRequest request;
  request.all_positions = arguments.all_positions;
  request.trace = arguments.trace;
  if (arguments.tokens.has_value() && arguments.tokens_file.has_value())
    throw Error::bad_input("--tokens-file", "the tokens are given twice",
                           {.expected = "--tokens or --tokens-file", .got = "both", .hint = {}});
  if (arguments.tokens.has_value())
    request.tokens = parse_token_list(*arguments.tokens, "--tokens");
  if (arguments.tokens_file.has_value())
    request.tokens = parse_token_list(read_text(*arguments.tokens_file, "--tokens-file"),
                                      tokens_source(arguments));
  if ((arguments.tokens.has_value() || arguments.tokens_file.has_value()) && request.tokens.empty())
    throw Error::bad_input(tokens_source(arguments), "the list is empty",
                           {.expected = "at least one token", .got = "none", .hint = {}});
  if (arguments.chunks.has_value()) {
    const auto chunks =
        parse_number_list(*arguments.chunks, "--chunks", "chunk sizes such as 3,4,1");
    request.chunks.assign(chunks.begin(), chunks.end());
    if (request.chunks.empty())
      throw Error::bad_input("--chunks", "the list is empty",
                             {.expected = "at least one size", .got = "none", .hint = {}});
  }
  if (arguments.greedy.has_value())
    request.greedy =
        static_cast<int>(parse_integer({"--greedy", "integer 0..2147483647"}, *arguments.greedy, 0,
                                       std::numeric_limits<int>::max()));
  return request;
}

void write_result(const LogitsResult& result, const std::string& path) {
  OutputFile file(path, "--out");
  SafetensorsWriter writer;
  writer.add("logits", {static_cast<std::int64_t>(result.steps()), result.vocab}, result.logits);
  writer.add("tokens", {static_cast<std::int64_t>(result.tokens.size())}, result.tokens);
  for (std::size_t layer = 0; layer < result.sums.size(); ++layer)
    writer.add(fmt::format("layer.{}.sum", layer),
               {static_cast<std::int64_t>(result.sums[layer].size())}, result.sums[layer]);
  writer.write(file);
  file.commit();
}

/// One line per step: the five largest logits and their tokens.
std::string summary(const LogitsResult& result, const Tokenizer& tokenizer) {
  constexpr std::ptrdiff_t kShown = 5;
  std::string text;
  const auto vocab = static_cast<std::size_t>(result.vocab);
  for (std::size_t step = 0; step < result.steps(); ++step) {
    const auto row = std::span(result.logits).subspan(step * vocab, vocab);
    std::vector<std::int32_t> order(vocab);
    std::iota(order.begin(), order.end(), 0);
    const auto shown = std::min<std::ptrdiff_t>(kShown, result.vocab);
    std::partial_sort(order.begin(), order.begin() + shown, order.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        const float left = row[static_cast<std::size_t>(a)];
                        const float right = row[static_cast<std::size_t>(b)];
                        return left != right ? left > right : a < b;
                      });
    text += fmt::format("step {}:", step);
    for (const std::int32_t id : std::span(order).first(static_cast<std::size_t>(shown)))
      text += fmt::format(
          "  {} {} {:.4f}", id,
          quoted_text(id < tokenizer.vocab_size() ? tokenizer.bytes(id) : std::string_view()),
          row[static_cast<std::size_t>(id)]);
    text += '\n';
  }
  if (!result.tokens.empty()) {
    const std::vector<std::int32_t> ids(result.tokens.begin(), result.tokens.end());
    text += fmt::format("tokens {}\n", to_json_list(ids));
  }
  for (std::size_t layer = 0; layer < result.sums.size(); ++layer) {
    text += fmt::format("layer.{}.sum", layer);
    for (const float sum : result.sums[layer]) text += fmt::format(" {:.6g}", sum);
    text += '\n';
  }
  return text;
}

void say_start(Runtime& runtime, double opening_ms) {
  const CacheLayout& layout = runtime.caches().layout();
  const std::vector<CaptureInfo> captures = runtime.runner().captures();
  say_capture(runtime.options(), runtime.runner());
  cli::say_start(runtime.options(), *runtime.model().checkpoint,
                 {.fullgraph = runtime.options().fullgraph,
                  .captures = captures,
                  .left_out = runtime.runner().left_out(),
                  .backend = runtime.runner().backend_description(),
                  .kv_bytes = layout.root_bytes(CacheRoot::kv),
                  .state_bytes = layout.state_bytes(),
                  .max_context = runtime.max_context(),
                  .memory = runtime.memory(),
                  .load_ms = opening_ms - milliseconds_of(captures)});
}

int logits(const LogitsArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  refuse_options(
      resolved, "logits",
      {"--seed", "--temperature", "--top-p", "--top-k", "--min-p", "--max-tokens", "--stop"});
  Options options = resolved.options;
  options.model = model_directory(options);
  options.pjrt_plugin = plugin_file(options);
  LogitsRequest request = read_request(arguments);

  Observation observation(options, false);

  remember_interrupts();
  Model model = open_model(options.model, options.engram);
  const ModelConfig& config = model.config();
  if (request.tokens.empty()) request.tokens = {config.bos_token_id};
  check_token_ids(request.tokens, config.vocab_size, tokens_source(arguments));
  if (arguments.out.has_value()) OutputFile::check(*arguments.out, "--out");

  const auto start = std::chrono::steady_clock::now();
  Runtime runtime(std::move(model), options, request.trace, show_capture());
  const std::chrono::duration<double, std::milli> opening =
      std::chrono::steady_clock::now() - start;
  runtime.runner().observe(observation.watcher());
  const LogitsResult result = run_logits(runtime, request);
  if (arguments.out.has_value()) write_result(result, *arguments.out);
  say_options(resolved);
  say_start(runtime, opening.count());
  if (!arguments.out.has_value()) write_out(summary(result, *runtime.model().tokenizer));
  observation.finish();
  return 0;
}

}  // namespace

void add_logits_command(Program& program) {
  auto arguments = std::make_shared<LogitsArguments>();
  CommandLine& line = program.command("logits", "runs a token list and writes its logits");
  arguments->line = &line;
  line.value("--tokens", "IDS",
             "the prompt, e.g. 0,17,4 (default: the beginning-of-sequence token alone)",
             arguments->tokens);
  line.value("--tokens-file", "FILE", "reads the prompt's ids from a file; - is stdin",
             arguments->tokens_file);
  line.value("--chunks", "SIZES",
             "how the prompt is cut into steps, e.g. 3,4,1 (default: the prefill bucket)",
             arguments->chunks);
  line.value("--greedy", "N", "continues with the N likeliest tokens, end of sequence or not",
             arguments->greedy);
  line.flag("--all-positions", "logits of every prompt position", arguments->all_positions);
  line.flag("--trace", "also layer.<i>.sum f32 [positions]: the residual streams after layer i",
            arguments->trace);
  line.value("--out", "FILE", "writes a safetensors file", arguments->out);
  line.all_options();
  line.footer(
      "Tensors: `logits` f32 [steps, vocab], the last prompt position (or all of them) and then "
      "one "
      "per continued token; `tokens` i64 [N], the continued tokens; with --trace layer.<i>.sum, "
      "one number per position that was run: the sum over streams and width. Without --out, the "
      "five largest logits of every step on stdout.");
  line.action([arguments] { return logits(*arguments); });
}

}  // namespace deepinfer::cli
