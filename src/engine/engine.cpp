#include "deepinfer/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "deepinfer/error.h"
#include "engine/runtime.h"
#include "engine/scheduler.h"
#include "engine/sequence.h"

namespace deepinfer {

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::cancelled:
      return "cancelled";
  }
  return "?";
}

struct Engine::State {
  State(const Options& options, const CaptureProgress& progress)
      : runtime(open_model(options.model, options.engram), options, false, progress) {}

  Runtime runtime;
  std::deque<std::unique_ptr<Sequence>> waiting;   // in order of arrival
  std::vector<std::unique_ptr<Sequence>> running;  // in order of admission
  std::vector<RequestId> cancelled;
  RequestId last_id = 0;
  EngineStats stats;

  void check(const Request& request) const;
  void admit();
  void end_cancelled(std::vector<TokenEvent>& events);
};

void Engine::State::check(const Request& request) const {
  const int vocab = runtime.model().config().vocab_size;
  if (request.prompt.empty())
    throw Error::bad_input("prompt", "is empty",
                           {.expected = "at least one token", .got = "none", .hint = {}});
  for (std::size_t i = 0; i < request.prompt.size(); ++i) {
    const std::int32_t token = request.prompt[i];
    const auto where = fmt::format("prompt[{}]", i);
    if (token < 0 || token >= vocab)
      throw Error::bad_input(where, "token id is out of range",
                             {.expected = fmt::format("0 to {}", vocab - 1),
                              .got = std::to_string(token),
                              .hint = {}});
    if (token == runtime.model().config().image_token_id)
      throw Error::bad_input(where, "is an image token, and images are not supported",
                             {.expected = {}, .got = std::to_string(token), .hint = {}});
  }
  if (request.max_tokens < 1)
    throw Error::bad_input(
        "max_tokens", "is out of range",
        {.expected = "at least 1", .got = std::to_string(request.max_tokens), .hint = {}});
  const auto total = static_cast<std::int64_t>(request.prompt.size()) + request.max_tokens;
  if (total > runtime.max_context())
    throw Error::bad_input(
        "prompt", "and max_tokens do not fit the context",
        {.expected = fmt::format("at most {} tokens", runtime.max_context()),
         .got = fmt::format("{} + {}", request.prompt.size(), request.max_tokens),
         .hint = "shorten the prompt or raise --max-context"});
}

void Engine::State::admit() {
  KvCaches& caches = runtime.caches();
  while (!waiting.empty() && SequenceCache::fits(caches, waiting.front()->most_tokens())) {
    waiting.front()->admit(SequenceCache(caches, waiting.front()->most_tokens()));
    running.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
}

void Engine::State::end_cancelled(std::vector<TokenEvent>& events) {
  for (const RequestId id : cancelled) {
    const auto is_it = [id](const std::unique_ptr<Sequence>& sequence) {
      return sequence->id() == id;
    };
    if (std::erase_if(running, is_it) + std::erase_if(waiting, is_it) == 0) continue;
    events.push_back({.request = id,
                      .token = -1,
                      .text = {},
                      .finished = true,
                      .reason = FinishReason::cancelled});
  }
  cancelled.clear();
}

Engine::Engine(const Options& options, const CaptureProgress& progress)
    : state_(std::make_unique<State>(options, progress)) {}

Engine::~Engine() = default;

RequestId Engine::submit(Request request) {
  state_->check(request);
  const RequestId id = state_->last_id + 1;
  state_->waiting.push_back(
      std::make_unique<Sequence>(id, std::move(request), state_->runtime.model().tokenizer,
                                 state_->runtime.model().config().eos_token_ids));
  return state_->last_id = id;
}

void Engine::cancel(RequestId request) { state_->cancelled.push_back(request); }

bool Engine::step(std::vector<TokenEvent>& events) {
  State& state = *state_;
  const std::size_t before = events.size();
  state.end_cancelled(events);
  state.admit();
  if (state.running.empty()) return events.size() > before;

  std::vector<SchedulerEntry> entries;
  for (const auto& sequence : state.running)
    entries.push_back({.cached = sequence->cached(),
                       .length = sequence->length(),
                       .decoding = sequence->decoding()});
  const Options& options = state.runtime.options();
  const std::vector<ScheduledRows> step =
      schedule(entries, options.prefill_bucket, max_step_rows(options));

  std::vector<SequenceMetadata> metadata;
  bool has_prompt = false;
  for (const ScheduledRows& part : step) {
    metadata.push_back(state.running[part.entry]->rows(part.rows));
    const bool decoding = entries[part.entry].decoding;
    has_prompt = has_prompt || !decoding;
    (decoding ? state.stats.decode_tokens : state.stats.prompt_tokens) +=
        static_cast<std::uint64_t>(part.rows);
  }
  const StepOutput output = state.runtime.step(metadata);
  ++state.stats.steps;
  if (has_prompt) ++state.stats.prompt_steps;

  int last_row = -1;
  std::vector<RequestId> finished;
  for (const ScheduledRows& part : step) {
    last_row += part.rows;
    Sequence& sequence = *state.running[part.entry];
    auto event = sequence.advance(part.rows, output.logits(last_row));
    if (!event.has_value()) continue;
    if (event->finished) finished.push_back(sequence.id());
    events.push_back(std::move(*event));
  }
  std::erase_if(state.running, [&](const std::unique_ptr<Sequence>& sequence) {
    return std::find(finished.begin(), finished.end(), sequence->id()) != finished.end();
  });
  return true;
}

void Engine::observe(StepWatcher* watcher) { state_->runtime.runner().observe(watcher); }

std::shared_ptr<const Tokenizer> Engine::tokenizer() const {
  return state_->runtime.model().tokenizer;
}
const Options& Engine::options() const { return state_->runtime.options(); }
std::int64_t Engine::max_context() const { return state_->runtime.max_context(); }
std::size_t Engine::running() const { return state_->running.size(); }
std::size_t Engine::waiting() const { return state_->waiting.size(); }
EngineStats Engine::stats() const { return state_->stats; }
const GraphRunner& Engine::runner() const { return state_->runtime.runner(); }
const Checkpoint& Engine::checkpoint() const { return *state_->runtime.model().checkpoint; }
const StartMemory& Engine::memory() const { return state_->runtime.memory(); }
std::int64_t Engine::kv_bytes() const {
  return state_->runtime.caches().layout().root_bytes(CacheRoot::kv);
}
std::int64_t Engine::state_bytes() const { return state_->runtime.caches().layout().state_bytes(); }

}  // namespace deepinfer
