#include "cli/generation.h"

#include <chrono>

#include "cli/interrupt.h"
#include "cli/progress_bar.h"

namespace deepinfer::cli {
namespace {

constexpr double kMillisecondsPerSecond = 1000;

double per_second(double count, double milliseconds) {
  return milliseconds > 0 ? count * kMillisecondsPerSecond / milliseconds : 0;
}

}  // namespace

double Generation::prefill_tokens_per_s() const {
  return per_second(static_cast<double>(prompt_tokens), prefill_ms);
}

double Generation::decode_tokens_per_s() const {
  // The first token is the prompt's; each later one is a decode step.
  return tokens.size() < 2 ? 0 : per_second(static_cast<double>(tokens.size() - 1), decode_ms);
}

Request make_request(const Options& options, std::vector<std::int32_t> prompt, int max_tokens) {
  return {.prompt = std::move(prompt),
          .sampling = {.temperature = options.temperature,
                       .top_k = options.top_k,
                       .top_p = options.top_p,
                       .min_p = options.min_p,
                       .seed = options.seed},
          .max_tokens = max_tokens,
          .stop = options.stop,
          .stop_tokens = {},
          .ignore_eos = false};
}

Generation generate(Engine& engine, RequestId id, std::size_t prompt_tokens,
                    const std::function<void(std::string_view)>& on_text) {
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  Generation result{.prompt_tokens = prompt_tokens, .tokens = {}, .text = {}};
  const EngineStats before = engine.stats();
  const auto start = Clock::now();
  auto first = start;
  ProgressBar bar("reading the prompt");
  bool cancelled = false;
  std::vector<TokenEvent> events;
  while (engine.step(events)) {
    for (const TokenEvent& event : events) {
      if (event.token >= 0) {
        if (result.tokens.empty()) {
          first = Clock::now();
          bar.end();
        }
        result.tokens.push_back(event.token);
      }
      if (!event.text.empty()) {
        result.text += event.text;
        if (on_text) on_text(event.text);
      }
      if (event.finished) result.reason = event.reason;
    }
    events.clear();
    bar.update(engine.stats().prompt_tokens - before.prompt_tokens, prompt_tokens);
    if (interrupted() && !cancelled) {
      engine.cancel(id);
      cancelled = true;
    }
  }
  const auto end = Clock::now();
  if (result.tokens.empty()) first = end;
  result.prefill_ms = Milliseconds(first - start).count();
  result.decode_ms = Milliseconds(end - first).count();
  result.prefill_steps = engine.stats().prompt_steps - before.prompt_steps;
  result.steps = engine.stats().steps - before.steps;
  return result;
}

}  // namespace deepinfer::cli
