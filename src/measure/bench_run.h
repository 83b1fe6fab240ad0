#pragma once

// What `deepinfer bench` measures on a started model: prompts and batches of decode steps over
// random tokens, with the work and the time of every component. Repeats are taken in turn, so that
// a slow minute of the machine falls on all of them alike. One thread; the runtime's.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/runtime.h"
#include "measure/component_clock.h"
#include "measure/spread.h"
#include "measure/step_work.h"

namespace deepinfer {

struct BenchRequest {
  int prompt_tokens = 128;
  int gen_tokens = 32;
  std::vector<int> batches = {1};
  int repeat = 3;
  bool row_by_row = false;  ///< also the prompt one row at a time
  std::uint64_t seed = 1;
};

/// Positions that a sequence of the request takes, prompt and all repeats.
std::int64_t positions_of(const BenchRequest& request);

/// Throws Error (bad_input) naming the flag: no batch, one above the options', or more positions
/// than the options or the model allow.
void check_request(const BenchRequest& request, const Options& options, const ModelConfig& config);

/// Times of a component, median over the steps that were observed.
struct ComponentTimes {
  std::size_t steps = 0;  ///< 0: the backend announces no ops
  StepTimes median;
};

struct PrefillResult {
  int chunk = 0;        ///< rows of a step
  Spread tokens_per_s;  ///< of whole prompts
  StepWork work;        ///< of a whole chunk, the middle one of the prompt
  double experts = 0;   ///< different ones per layer in it, by their expected number
  Spread step_ms;       ///< of whole chunks
  ComponentTimes times;
};

struct DecodeResult {
  int batch = 0;
  int graph_rows = 0;  ///< size it runs at
  Spread step_ms;      ///< metadata, copy, replay and the choice of the likeliest token
  StepWork work;       ///< of the middle step
  double experts = 0;  ///< different ones per layer
  ComponentTimes times;

  double tokens_per_s(double ms) const { return ms > 0 ? 1000 * batch / ms : 0; }
};

struct BenchResult {
  PrefillResult chunks;
  PrefillResult rows;  ///< one row at a time; no samples if it was not asked for
  std::vector<DecodeResult> decode;
};

/// Told while it runs; what they throw ends the run. Either may be empty.
struct BenchHooks {
  /// Before every piece of work: how many of all are done.
  std::function<void(int done, int count)> progress = {};
  /// After each round, outside all times.
  std::function<void()> round_ends = {};
};

BenchResult run_bench(Runtime& runtime, const BenchRequest& request, const BenchHooks& hooks = {});

}  // namespace deepinfer
