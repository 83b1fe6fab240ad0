// `deepinfer eval`: does the greedy continuation of each prompt start with the expected text?

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/bundled_model.h"
#include "cli/bundled_plugin.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/counters_json.h"
#include "cli/engine_start.h"
#include "cli/eval_cases.h"
#include "cli/generation.h"
#include "cli/interrupt.h"
#include "cli/observation_json.h"
#include "cli/progress_bar.h"
#include "cli/prompt.h"
#include "cli/text_file.h"
#include "cli/token_list.h"
#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

struct EvalArguments {
  CommandLine* line = nullptr;
  std::optional<std::string> cases;
  bool json = false;
};

struct CaseResult {
  std::string got;
  std::vector<std::int32_t> tokens;

  bool agrees(const std::string& expect) const {
    const std::size_t length = std::min(got.size(), expect.size());
    return got.compare(0, length, expect, 0, length) == 0;
  }
  bool correct(const std::string& expect) const {
    return got.size() >= expect.size() && agrees(expect);
  }
};

/// A case may have its prompt both as tokens and as text: they must be the same prompt, or the
/// result would be that of another text than the one it shows. The text may lack the
/// beginning-of-sequence token that `run` puts in front.
void check_same_prompt(const EvalCase& tested, const std::string& where, const Engine& engine) {
  const Tokenizer& tokenizer = *engine.tokenizer();
  const int bos = engine.checkpoint().config().bos_token_id;
  const std::vector<std::int32_t> ids = plain_ids(tokenizer, *tested.prompt, bos);
  const std::vector<std::int32_t>& tokens = *tested.tokens;
  if (tokens == ids || tokens == tokenizer.encode(*tested.prompt, true)) return;
  const auto place =
      std::mismatch(ids.begin(), ids.end(), tokens.begin(), tokens.end()).first - ids.begin();
  const auto text_of = [place](const std::vector<std::int32_t>& list) {
    const auto index = static_cast<std::size_t>(place);
    return fmt::format("{} tokens, {} at index {}", list.size(),
                       index < list.size() ? std::to_string(list[index]) : "none", index);
  };
  throw Error::bad_input(
      where + ".tokens", "are not the prompt's tokens",
      {.expected = text_of(ids), .got = text_of(tokens), .hint = "leave out `tokens` or `prompt`"});
}

/// Every token of the expected text has at least one byte, so that many tokens decide; the context
/// may end earlier. An end-of-sequence token is text like any other here.
Request request_of(const EvalCase& tested, const std::string& where, const Engine& engine) {
  const ModelConfig& config = engine.checkpoint().config();
  std::vector<std::int32_t> ids =
      tested.tokens.has_value()
          ? *tested.tokens
          : plain_ids(*engine.tokenizer(), *tested.prompt, config.bos_token_id);
  if (ids.empty())
    throw Error::bad_input(where + ".tokens", "the list is empty",
                           {.expected = "at least one token", .got = "none", .hint = {}});
  check_token_ids(ids, config.vocab_size, where + ".tokens");
  if (tested.tokens.has_value() && tested.prompt.has_value())
    check_same_prompt(tested, where, engine);
  const int most = static_cast<int>(std::clamp<std::size_t>(tested.expect.size(), 1, 1U << 30U));
  const int room = answer_room(ids.size(), engine.max_context(), most, false, where);
  Request request = make_request(Options{}, std::move(ids), room);
  request.ignore_eos = true;
  return request;
}

/// Runs all cases together; what one generates does not depend on the others.
std::vector<CaseResult> run_cases(Engine& engine, const std::vector<EvalCase>& cases,
                                  const std::map<RequestId, std::size_t>& index_of) {
  std::vector<CaseResult> results(cases.size());
  std::vector<TokenEvent> events;
  ProgressBar bar("running cases");
  std::size_t finished = 0;
  while (engine.step(events)) {
    throw_if_interrupted();
    for (const TokenEvent& event : events) {
      const std::size_t index = index_of.at(event.request);
      CaseResult& result = results[index];
      const std::string& expect = cases[index].expect;
      if (event.token >= 0) result.tokens.push_back(event.token);
      result.got += event.text;
      if (event.finished)
        ++finished;
      else if (result.correct(expect) || !result.agrees(expect))
        engine.cancel(event.request);  // decided
    }
    events.clear();
    bar.update(finished, cases.size());
  }
  return results;
}

Json case_json(const EvalCase& tested, const CaseResult& result) {
  return {{"id", tested.id},
          {"correct", result.correct(tested.expect)},
          {"expect", tested.expect},
          {"got", result.got},
          {"tokens", result.tokens}};
}

int eval(const EvalArguments& arguments) {
  const ResolvedOptions resolved = arguments.line->resolve();
  refuse_options(
      resolved, "eval",
      {"--seed", "--temperature", "--top-p", "--top-k", "--min-p", "--max-tokens", "--stop"});
  Options options = resolved.options;
  options.model = model_directory(options);
  options.pjrt_plugin = plugin_file(options);
  const std::string path = arguments.cases.value_or(options.model + "/eval.json");
  const std::string source = source_name(path);
  const std::vector<EvalCase> cases = parse_cases(
      read_text(path, "--cases",
                arguments.cases.has_value() ? "- reads stdin" : "--cases names another file"),
      source);

  Observation observation(options, arguments.json);

  remember_interrupts();
  const StartedEngine started = start_engine(options);
  std::map<RequestId, std::size_t> index_of;
  for (std::size_t i = 0; i < cases.size(); ++i)
    index_of[started.engine->submit(
        request_of(cases[i], fmt::format("{}[{}]", source, i), *started.engine))] = i;
  say_options(resolved);
  say_start(started);

  started.engine->observe(observation.watcher());
  const std::vector<CaseResult> results = run_cases(*started.engine, cases, index_of);
  std::size_t correct = 0;
  std::string text;
  Json list = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool right = results[i].correct(cases[i].expect);
    correct += right ? 1 : 0;
    if (arguments.json)
      list.push_back(case_json(cases[i], results[i]));
    else if (right)
      text += fmt::format("ok    {}\n", cases[i].id);
    else
      text +=
          fmt::format("WRONG {}: expected {}, got {}\n", cases[i].id,
                      Json(cases[i].expect).dump(-1, ' ', false, Json::error_handler_t::replace),
                      Json(results[i].got).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  if (arguments.json) {
    Json json = {{"correct", correct},
                 {"total", cases.size()},
                 {"cases", list},
                 {"timings", {{"load_ms", started.load_ms}, {"capture_ms", started.capture_ms}}}};
    add_counters(json["timings"], started.engine->runner());
    add_observation(json, observation);
    write_out(to_text(json));
  } else {
    write_out(text + fmt::format("{}/{} correct\n", correct, cases.size()));
  }
  observation.finish();
  return 0;
}

}  // namespace

void add_eval_command(Program& program) {
  auto arguments = std::make_shared<EvalArguments>();
  CommandLine& line = program.command("eval", "counts the prompts that are continued as expected");
  arguments->line = &line;
  line.value("--cases", "FILE",
             "JSON list of {\"id\", \"prompt\" or \"tokens\", \"expect\"}; - is stdin (default: "
             "eval.json of the model)",
             arguments->cases);
  line.flag("--json",
            "one JSON object: correct, total, cases, timings; with --region-timing also "
            "region_timings and "
            "profile",
            arguments->json);
  line.all_options();
  line.footer(
      "Decoding is greedy. A prompt is used as in `run`; with `tokens` beside it both must agree; "
      "the text of an end token counts. Exit "
      "code "
      "0 whatever the count.");
  line.action([arguments] { return eval(*arguments); });
}

}  // namespace deepinfer::cli
