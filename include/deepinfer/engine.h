#pragma once

// Engine: requests in, token events out. It owns an opened model, its caches and its captured
// graphs, and mixes the decode rows and prompt chunks of all running requests into steps.
//
// One thread calls an Engine. What one request generates depends on its own tokens, parameters and
// seed only, never on who else is running.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deepinfer/checkpoint.h"
#include "deepinfer/graph_runner.h"
#include "deepinfer/options.h"
#include "deepinfer/start_memory.h"
#include "deepinfer/tokenizer.h"

namespace deepinfer {

struct SamplingParams {
  float temperature = 0;  ///< 0 = greedy: the largest logit, the lowest id on a tie
  int top_k = 0;          ///< keep the k largest; 0 = all
  float top_p = 1;        ///< keep the smallest set with at least this probability
  float min_p = 0;        ///< drop tokens below this share of the largest probability
  std::uint64_t seed = 0;
};

struct Request {
  std::vector<std::int32_t> prompt;  ///< at least one token
  SamplingParams sampling;
  int max_tokens = 128;                   ///< at least 1
  std::vector<std::string> stop;          ///< text ends just before the earliest of these
  std::vector<std::int32_t> stop_tokens;  ///< besides the model's end-of-sequence tokens
  bool ignore_eos = false;
};

enum class FinishReason {
  stop,       ///< an end-of-sequence token, a stop token or a stop string
  length,     ///< max_tokens, or the context is full
  cancelled,  ///< cancel()
};

std::string_view name_of(FinishReason reason);

using RequestId = std::uint64_t;

/// One generated token, or the end of a request (or both).
struct TokenEvent {
  RequestId request = 0;
  std::int32_t token = -1;  ///< -1: no token came with this event
  std::string text;         ///< whole characters that became certain
  bool finished = false;
  FinishReason reason = FinishReason::stop;  ///< if finished
};

/// Counters since construction.
struct EngineStats {
  std::uint64_t steps = 0;
  std::uint64_t prompt_steps = 0;   ///< steps with at least one prompt row
  std::uint64_t prompt_tokens = 0;  ///< prompt rows run
  std::uint64_t decode_tokens = 0;  ///< rows run that continue a generation
};

class Engine {
 public:
  /// Opens options.model, allocates the caches and captures all graphs. Throws Error.
  explicit Engine(const Options& options, const CaptureProgress& progress = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Queues a request. Throws Error (bad_input) naming the field: an empty prompt, a token id
  /// outside the vocabulary, prompt + max_tokens beyond the context, a parameter out of range.
  RequestId submit(Request request);

  /// Ends a request; its last event comes with the next step(). Unknown ids are ignored.
  void cancel(RequestId request);

  /// Runs one step over all running requests and appends what happened. Returns false, and does
  /// nothing, when no request is running or waiting.
  bool step(std::vector<TokenEvent>& events);

  /// GraphRunner::observe of the engine's runner.
  void observe(StepWatcher* watcher);

  std::shared_ptr<const Tokenizer> tokenizer() const;
  const Options& options() const;
  std::int64_t max_context() const;  ///< longest sequence, prompt and answer together
  std::size_t running() const;
  std::size_t waiting() const;
  EngineStats stats() const;
  const GraphRunner& runner() const;
  const Checkpoint& checkpoint() const;
  /// What the engine holds, by name.
  const StartMemory& memory() const;
  /// Bytes of the KV buffer and of the state buffer.
  std::int64_t kv_bytes() const;
  std::int64_t state_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace deepinfer
