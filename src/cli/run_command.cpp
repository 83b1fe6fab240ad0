// `deepinfer run`: completes one prompt. The text goes to stdout as it becomes certain.

#include <fmt/format.h>

#include "cli/bundled_model.h"
#include "cli/bundled_plugin.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/counters_json.h"
#include "cli/engine_start.h"
#include "cli/generation.h"
#include "cli/idle_options.h"
#include "cli/interrupt.h"
#include "cli/observation_json.h"
#include "cli/prompt.h"
#include "cli/start_table.h"

namespace deepinfer::cli {
namespace {

struct RunArguments {
  CommandLine* line = nullptr;
  PromptArguments prompt;
  bool json = false;
};

Json graphs_json(const Engine& engine) {
  Json graphs = Json::array();
  for (const CaptureInfo& capture : engine.runner().captures())
    graphs.push_back({{"rows", capture.rows},
                      {"context", capture.context},
                      {"kind", capture.prefill ? "prefill" : "decode"},
                      {"mode", name_of(capture.mode)},
                      {"ops_built", capture.ops_built},
                      {"ops", capture.ops},
                      {"executables", capture.executables},
                      {"compiled", capture.compiled},
                      {"loaded", capture.loaded},
                      {"arena_bytes", capture.arena_bytes},
                      {"compile_ms", capture.compile_ms},
                      {"first_run_ms", capture.first_run_ms},
                      {"replays", capture.replays}});
  return graphs;
}

Json memory_json(const StartMemory& memory) {
  Json parts = Json::object();
  for (const MemoryPart& part : memory.parts) parts[part.name] = part.bytes;
  Json json = {{"parts", parts}, {"total", memory.total()}, {"mapped", memory.mapped_bytes}};
  if (memory.device.has_value()) {
    for (const MemoryPart& part : memory.device->parts)
      json["device"]["parts"][part.name] = part.bytes;
    if (memory.device->in_use.has_value()) json["device"]["in_use"] = *memory.device->in_use;
    if (memory.device->limit.has_value()) json["device"]["limit"] = *memory.device->limit;
  }
  return json;
}

Json result_json(const StartedEngine& started, const Generation& result,
                 const Observation& observation) {
  Json json = {{"prompt_tokens", result.prompt_tokens},
               {"tokens", result.tokens},
               {"text", result.text},
               {"finish_reason", name_of(result.reason)},
               {"timings",
                {{"load_ms", started.load_ms},
                 {"capture_ms", started.capture_ms},
                 {"prefill_ms", result.prefill_ms},
                 {"decode_ms", result.decode_ms},
                 {"prefill_tokens_per_s", result.prefill_tokens_per_s()},
                 {"decode_tokens_per_s", result.decode_tokens_per_s()},
                 {"prefill_steps", result.prefill_steps},
                 {"steps", result.steps}}},
               {"graphs", graphs_json(*started.engine)},
               {"memory", memory_json(started.engine->memory())}};
  add_counters(json["timings"], started.engine->runner());
  add_observation(json, observation);
  return json;
}

int run(const RunArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  Options options = resolved.options;
  options.model = model_directory(options);
  options.pjrt_plugin = plugin_file(options);
  const Prompt prompt = read_prompt(arguments.prompt);

  Observation observation(options, arguments.json);

  remember_interrupts();
  const StartedEngine started = start_engine(options);
  Engine& engine = *started.engine;
  std::vector<std::int32_t> ids = prompt_ids(prompt, arguments.prompt, engine);
  const std::size_t prompt_tokens = ids.size();
  const int room = answer_room(prompt_tokens, engine.max_context(), options.max_tokens,
                               is_given(resolved, "--max-tokens"));
  const RequestId id = engine.submit(make_request(options, std::move(ids), room));
  say_options(resolved);
  warn_options_idle_in_greedy(resolved);
  say_start(started);

  engine.observe(observation.watcher());
  const auto stream = [&](std::string_view text) {
    if (!arguments.json) write_out(text);
  };
  const Generation result = generate(engine, id, prompt_tokens, stream);
  if (arguments.json)
    write_out(to_text(result_json(started, result, observation)));
  else if (stdout_is_terminal())
    write_out("\n");
  log(options, LogLevel::info,
      fmt::format("{} prompt tokens in {:.0f} ms ({:.1f}/s), {} tokens in {:.0f} ms ({:.1f}/s), {}",
                  prompt_tokens, result.prefill_ms, result.prefill_tokens_per_s(),
                  result.tokens.size(), result.decode_ms, result.decode_tokens_per_s(),
                  name_of(result.reason)));
  observation.finish();
  return result.reason == FinishReason::cancelled ? kInterruptedExit : 0;
}

}  // namespace

void add_run_command(Program& program) {
  auto arguments = std::make_shared<RunArguments>();
  CommandLine& line = program.command("run", "completes a prompt");
  arguments->line = &line;
  add_prompt_arguments(line, arguments->prompt);
  line.flag("--json",
            "one JSON object: prompt_tokens, tokens (the end token included), text, finish_reason, "
            "timings, graphs, memory; with --region-timing also region_timings and profile",
            arguments->json);
  line.all_options();
  line.footer(
      "Without a prompt flag, the prompt is read from stdin if that is no terminal. A text is used "
      "exactly as it is, a last line break included. Ctrl-C stops the answer (exit code 130).");
  line.action([arguments] { return run(*arguments); });
}

}  // namespace deepinfer::cli
