#include "measure/bench_run.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "engine/sampler.h"
#include "measure/distinct_experts.h"
#include "measure/random_sequence.h"
#include "runner/captured_graph.h"

namespace deepinfer {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

ComponentTimes median_of(const std::vector<StepTimes>& steps) {
  ComponentTimes times{.steps = steps.size(), .median = {}};
  const auto median = [&steps](const auto& field) {
    std::vector<double> values;
    values.reserve(steps.size());
    for (const StepTimes& step : steps) values.push_back(field(step));
    return spread_of(std::move(values)).median;
  };
  times.median.total = median([](const StepTimes& step) { return step.total; });
  times.median.outside_ops = median([](const StepTimes& step) { return step.outside_ops; });
  times.median.weight_ops = median([](const StepTimes& step) { return step.weight_ops; });
  times.median.outside_weight_share =
      median([](const StepTimes& step) { return step.outside_weight_share; });
  for (std::size_t i = 0; i < kComponents; ++i)
    times.median.components[i] = median([i](const StepTimes& step) { return step.components[i]; });
  return times;
}

/// Measurements of one kind of step, gathered over the repeats.
struct Gathered {
  std::vector<double> tokens_per_s;
  std::vector<double> step_ms;
  std::vector<StepTimes> times;
};

class Run {
 public:
  Run(Runtime& runtime, const BenchRequest& request, const BenchHooks& hooks)
      : runtime_(runtime), request_(request), hooks_(hooks) {
    const int most = *std::max_element(request.batches.begin(), request.batches.end());
    sequences_.resize(static_cast<std::size_t>(most));
    decode_.resize(request.batches.size());
    pieces_ = most + request.repeat * static_cast<int>(request.batches.size()) +
              (request.repeat - 1) + (request.row_by_row ? request.repeat : 0);
    runtime.runner().observe(&clock_);
  }
  ~Run() { runtime_.runner().observe(nullptr); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  BenchResult run() {
    count_experts();
    for (int round = 0; round < request_.repeat; ++round) {
      if (request_.row_by_row) prompt(0, 1, result_.rows, rows_);
      for (std::size_t i = 0; i < (round == 0 ? sequences_.size() : 1); ++i)
        prompt(i, chunk(), result_.chunks, chunks_);
      for (std::size_t i = 0; i < request_.batches.size(); ++i)
        decode(round, result_.decode[i], decode_[i]);
      if (hooks_.round_ends) hooks_.round_ends();
    }
    finish(result_.chunks, chunks_);
    finish(result_.rows, rows_);
    for (std::size_t i = 0; i < decode_.size(); ++i) {
      result_.decode[i].step_ms = spread_of(decode_[i].step_ms);
      result_.decode[i].times = median_of(decode_[i].times);
    }
    return std::move(result_);
  }

 private:
  int chunk() const { return std::min(request_.prompt_tokens, runtime_.options().prefill_bucket); }

  void next_piece() {
    if (hooks_.progress) hooks_.progress(done_, pieces_);
    ++done_;
  }

  void count_experts() {
    for (const int batch : request_.batches) {
      DecodeResult decode;
      decode.batch = batch;
      decode.experts = distinct_experts(runtime_.model(), runtime_.options(), batch, request_.seed);
      result_.decode.push_back(decode);
    }
  }

  /// Runs a fresh prompt in steps of `rows` rows as sequence `index`.
  void prompt(std::size_t index, int rows, PrefillResult& result, Gathered& gathered) {
    next_piece();
    sequences_[index].reset();  // first its cache rows are given back
    sequences_[index] =
        std::make_unique<RandomSequence>(runtime_, request_.seed + seed_++, positions_of(request_));
    RandomSequence& sequence = *sequences_[index];
    clock_.turn(true);
    const Clock::time_point start = Clock::now();
    for (int left = request_.prompt_tokens; left > 0;) {
      const int taken = std::min(rows, left);
      left -= taken;
      SequenceMetadata metadata = sequence.take(taken);
      metadata.wants_logits = left == 0;
      const Clock::time_point step = Clock::now();
      const StepOutput output = runtime_.step({&metadata, 1});
      if (left == 0) argmax(output.logits(taken - 1));
      // The last one makes logits, too: it counts only where there is no other.
      if (taken < rows || (left == 0 && request_.prompt_tokens >= 2 * rows)) continue;
      gathered.step_ms.push_back(milliseconds_since(step));
      take_times(gathered);
    }
    gathered.tokens_per_s.push_back(1000 * request_.prompt_tokens / milliseconds_since(start));
    clock_.turn(false);
    if (result.chunk == 0) describe(rows, result);
  }

  /// The work of a whole chunk in the middle of the prompt.
  void describe(int rows, PrefillResult& result) {
    result.chunk = rows;
    const ObservedGraph& graph = graph_of(rows);
    const int chunks = request_.prompt_tokens / rows;
    const ExpertCounts counts = expert_counts(graph);
    result.experts = expected_experts(counts.experts, counts.per_row, rows);
    const std::int64_t first = chunks / 2 < chunks ? std::int64_t{chunks / 2} * rows : 0;
    result.work = step_work(graph, {{.first_position = first, .rows = rows}},
                            request_.prompt_tokens >= 2 * rows ? 0 : 1, result.experts);
  }

  /// The observed graph that steps of `rows` rows run on.
  const ObservedGraph& graph_of(int rows) {
    const int size = runtime_.runner().graph_for(rows).rows();
    const std::vector<ObservedGraph>& graphs = clock_.capture().graphs;
    return *std::find_if(graphs.begin(), graphs.end(),
                         [size](const ObservedGraph& graph) { return graph.rows == size; });
  }

  void decode(int round, DecodeResult& result, Gathered& gathered) {
    next_piece();
    std::vector<SequenceMetadata> rows(static_cast<std::size_t>(result.batch));
    for (int step = 0; step < request_.gen_tokens; ++step) {
      if (round == 0 && step == request_.gen_tokens / 2) describe(result);
      // Every other step is observed; the others time the step without a clock in it.
      const bool observed = step % 2 == 1 || request_.gen_tokens == 1;
      clock_.turn(observed);
      const Clock::time_point start = Clock::now();
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = sequences_[i]->take(1);
      const StepOutput output = runtime_.step(rows);
      for (int row = 0; row < result.batch; ++row) argmax(output.logits(row));
      const double ms = milliseconds_since(start);
      if (observed) take_times(gathered);
      if (!observed || request_.gen_tokens == 1) gathered.step_ms.push_back(ms);
    }
    clock_.turn(false);
  }

  void describe(DecodeResult& result) {
    const ObservedGraph& graph = graph_of(result.batch);
    result.graph_rows = graph.rows;
    std::vector<StepRows> step;
    step.reserve(static_cast<std::size_t>(result.batch));
    for (int i = 0; i < result.batch; ++i)
      step.push_back(
          {.first_position = sequences_[static_cast<std::size_t>(i)]->position(), .rows = 1});
    result.work = step_work(graph, step, result.batch, result.experts);
  }

  void take_times(Gathered& gathered) const {
    if (clock_.last().ops > 0) gathered.times.push_back(clock_.last());
  }

  static void finish(PrefillResult& result, const Gathered& gathered) {
    result.tokens_per_s = spread_of(gathered.tokens_per_s);
    result.step_ms = spread_of(gathered.step_ms);
    result.times = median_of(gathered.times);
  }

  Runtime& runtime_;
  const BenchRequest& request_;
  const BenchHooks& hooks_;
  ComponentClock clock_;
  std::vector<std::unique_ptr<RandomSequence>> sequences_;
  BenchResult result_;
  Gathered chunks_;
  Gathered rows_;
  std::vector<Gathered> decode_;  // by batch
  std::uint64_t seed_ = 0;
  int done_ = 0;
  int pieces_ = 0;
};

}  // namespace

BenchResult run_bench(Runtime& runtime, const BenchRequest& request, const BenchHooks& hooks) {
  return Run(runtime, request, hooks).run();
}

}  // namespace deepinfer
