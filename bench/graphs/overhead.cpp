#include "bench/graphs/overhead.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "backend/host/host_backend.h"
#include "core/system_memory.h"
#include "engine/sequence_cache.h"
#include "runner/step_input.h"
#include "runner/step_watcher.h"

namespace deepinfer::bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <typename OpStruct>
void do_nothing(const OpStruct&, const host::Operands& io, host::KernelContext&) {
  // The runner refuses a step that leaves derived metadata unwritten.
  if constexpr (std::is_same_v<OpStruct, VisibleEntries>)
    std::memset(io.in(1).data, 0, static_cast<std::size_t>(io.in(1).row_bytes * io.in(1).shape[0]));
}

/// Kernels of every op that do nothing; a cache view has none, as ever.
template <std::size_t... Index>
host::KernelTable empty_kernels(std::index_sequence<Index...> /*ops*/) {
  host::KernelTable table;
  const auto add = [&table]<typename OpStruct>(const OpStruct*) {
    if constexpr (!std::is_same_v<OpStruct, CacheView>)
      table.set<OpStruct, &do_nothing<OpStruct>>();
  };
  (add(static_cast<const std::variant_alternative_t<Index, Op>*>(nullptr)), ...);
  return table;
}

/// Repeats whose median counts; eager mode takes and clears all its results in each.
constexpr int kRepeats = 200;

SequenceMetadata rows_of(const std::vector<std::int32_t>& tokens, const SequenceCache& cache,
                         int rows) {
  return {.tokens = tokens,
          .first_position = 0,
          .rows = rows,
          .slot = cache.slot(),
          .blocks = cache.blocks(),
          .wants_logits = true,
          .all_logits = false};
}

class OpClock : public StepWatcher {
 public:
  void captured(std::shared_ptr<const ObservedCapture> /*capture*/) override {}
  void step_begins(int /*rows*/) override { in_ops_ = {}; }
  void run_begins() override { begin_ = Clock::now(); }
  void step_ends() override { step_ = Clock::now() - begin_; }
  void op_begins(int /*node*/) override { op_ = Clock::now(); }
  void op_ends(int /*node*/) override { in_ops_ += Clock::now() - op_; }

  double step_us() const { return microseconds(step_); }
  double outside_us() const { return microseconds(step_ - in_ops_); }

 private:
  Clock::time_point begin_, op_;
  Clock::duration step_{}, in_ops_{};
};

}  // namespace

double step_overhead_us(const Model& model, const Options& options, int rows) {
  const CachePlan plan = plan_caches(model.config(), options, available_memory());
  KvCaches caches(CacheLayout(model.config(), plan.geometry));
  const PrepareInput prepare = make_prepare_input(model, caches);
  GraphRunner runner(options.max_batch, options, false, [](const Options& given) {
    return std::make_unique<host::HostBackend>(
        "empty", "kernels that do nothing",
        empty_kernels(std::make_index_sequence<std::variant_size_v<Op>>()),
        std::max(given.threads, 1));
  });
  runner.capture(model, caches, prepare, padding_sequence(plan.geometry), plan.max_context);
  CapturedGraph& graph = runner.graph_for(rows);
  const std::vector<std::int32_t> tokens(static_cast<std::size_t>(rows), 5);
  SequenceCache cache(caches, rows);
  const SequenceMetadata sequence = rows_of(tokens, cache, rows);
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = Clock::now();
    prepare({&sequence, 1}, runner.input(graph));
    runner.replay(graph);
    times.push_back(microseconds(Clock::now() - start));
  }
  return median(std::move(times));
}

OpShare op_share(Runtime& runtime, int rows, int steps) {
  OpClock clock;
  runtime.runner().observe(&clock);
  const std::vector<std::int32_t> tokens(static_cast<std::size_t>(rows), 5);
  SequenceCache cache(runtime.caches(), rows);
  const SequenceMetadata sequence = rows_of(tokens, cache, rows);
  std::vector<double> step_times;
  std::vector<double> outside;
  for (int i = 0; i < steps; ++i) {
    runtime.step({&sequence, 1});
    step_times.push_back(clock.step_us());
    outside.push_back(clock.outside_us());
  }
  runtime.runner().observe(nullptr);
  constexpr double kUsPerMs = 1000;
  return {.step_ms = median(std::move(step_times)) / kUsPerMs,
          .outside_ms = median(std::move(outside)) / kUsPerMs};
}

}  // namespace deepinfer::bench
