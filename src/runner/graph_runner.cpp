#include "deepinfer/graph_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "backend/backend.h"
#include "cache/kv_caches.h"
#include "core/storage_id.h"
#include "core/thread_pool.h"
#include "deepinfer/error.h"
#include "model/model.h"
#include "model/step_graph.h"
#include "model/step_inputs.h"
#include "runner/alias_report.h"
#include "runner/captured_graph.h"
#include "runner/retired_graphs.h"
#include "runner/step_compiler.h"
#include "runner/step_sizes.h"
#include "runner/step_watcher.h"
#include "runner/weight_binding.h"

namespace deepinfer {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Metadata and roots by name, weights by checkpoint tensor.
class StepBindings : public Bindings {
 public:
  StepBindings(const Checkpoint& checkpoint, const KvCaches& caches, const MetadataBuffers& device)
      : checkpoint_(checkpoint), caches_(caches), device_(device) {}

  std::byte* storage(const Value& value) const override {
    if (value.kind == ValueKind::root) return caches_.root(step_inputs::root_called(value.name));
    return device_.data(device_.field(value.name));
  }

  std::vector<WeightRef> weights(const Value& value) const override {
    return bind_weight(checkpoint_, value);
  }

 private:
  const Checkpoint& checkpoint_;
  const KvCaches& caches_;
  const MetadataBuffers& device_;
};

/// What a graph is captured for.
struct StepSize {
  int rows = 0;
  std::int64_t context = 0;
};

/// Rows of the smallest step of those `captured`, largest first, that holds sequences of `context`
/// positions; 0 if there is none.
int rows_that_hold(std::span<const std::unique_ptr<CapturedStep>> captured, std::int64_t context) {
  const auto step = std::find_if(captured.rbegin(), captured.rend(),
                                 [=](const auto& entry) { return entry->info.context >= context; });
  return step == captured.rend() ? 0 : (*step)->info.rows;
}

}  // namespace

/// What a StepOutput reads through: gone graphs and later replays are noticed.
struct StepOutput::Source {
  const Executable* executable = nullptr;
  std::uint64_t replay = 0;
};

struct GraphRunner::State {
  Options options;
  BackendFactory make_backend;
  int max_batch = 0;
  bool input_on_device = false;
  std::vector<int> sizes;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<MetadataBuffers> host;
  std::unique_ptr<MetadataBuffers> device;
  std::vector<std::unique_ptr<CapturedGraph>> graphs;  // ascending
  std::vector<CaptureInfo> left_out;                   // ascending
  RetiredGraphs retired;                               // of earlier captures: handles to refuse
  CapturedGraph::Owner owner = {.runner = next_storage_id(), .capture = 0};  // 0: not captured
  std::shared_ptr<StepOutput::Source> output = std::make_shared<StepOutput::Source>();
  std::uint64_t compiles = 0;  // of graphs, on a backend without a compiler of its own
  CompileCounts earlier;       // of the backends of earlier captures
  std::uint64_t graph_hits = 0;
  std::uint64_t eager_fallbacks = 0;
  std::int64_t memory_limit = StepCompiler::kNoLimit;
  std::vector<std::string> notes;
  std::string alias_report;
  bool timed = false;
  ReplayTimes times;
  const Checkpoint* checkpoint = nullptr;  // of the captured model
  StepWatcher* watcher = nullptr;

  void destroy() {
    output->executable = nullptr;
    ++output->replay;
    times = {};
    owner.capture = 0;
    for (auto& graph : graphs) retired.keep(std::move(graph));
    graphs.clear();
    left_out.clear();
    device.reset();
    host.reset();
    earlier = counts();
    backend.reset();
    checkpoint = nullptr;
    notes.clear();
    alias_report.clear();
  }

  std::vector<StepSize> largest_first(std::int64_t max_context) const {
    const std::vector<std::int64_t> contexts = step_contexts(options, max_context);
    std::vector<StepSize> all;
    all.reserve(sizes.size() * contexts.size());
    for (const int rows : sizes)
      for (const std::int64_t context : contexts) all.push_back({.rows = rows, .context = context});
    std::reverse(all.begin(), all.end());
    return all;
  }

  /// Of all programs since construction.
  CompileCounts counts() const {
    CompileCounts sum = earlier;
    if (backend == nullptr) return sum;
    const CompileCounts now = backend->compile_counts().value_or(CompileCounts{});
    sum.compiled += now.compiled;
    sum.loaded += now.loaded;
    sum.retried += now.retried;
    return sum;
  }

  /// Refuses inputs that share bytes without being declared to; keeps the report if it is wanted.
  void check_aliases(const Graph& graph, const Bindings& bindings) {
    const std::vector<AliasInput> inputs = alias_inputs(graph, bindings);
    const std::vector<AliasPair> pairs = find_aliases(inputs);
    refuse_undeclared(inputs, pairs);
    if (options.alias_debug) alias_report = describe(inputs, pairs);
  }

  void count(const CapturedStep& step) {
    if (step.mode != GraphMode::eager)
      ++graph_hits;
    else if (options.graph_mode != GraphMode::eager)
      ++eager_fallbacks;
  }

  /// Makes the watcher known to what is captured, and what is captured to the watcher.
  void watch() const {
    for (const auto& graph : graphs) graph->step().executable->observe(watcher);
    if (watcher == nullptr || graphs.empty()) return;
    auto capture = std::make_shared<ObservedCapture>();
    capture->members = options.threads > 0 ? options.threads : ThreadPool::default_threads();
    for (const auto& graph : graphs)
      capture->graphs.push_back(
          observe_graph(graph->step().executable->graph(), [this](const Value& weight) {
            return checkpoint->tensor(weight.tensor_names.front()).dtype;
          }));
    watcher->captured(std::move(capture));
  }

  /// What the handle stands for; throws unless that is captured here and now.
  CapturedStep& require(const CapturedGraph& graph) const {
    const bool own = graph.owner().runner == owner.runner;
    if (own && graph.owner().capture == owner.capture) return graph.step();
    throw Error::bad_input(
        "graph runner",
        own ? fmt::format("the graph of {} rows has been destroyed", graph.rows())
            : "the graph was captured by another runner",
        {.expected = {},
         .got = {},
         .hint = "ask graph_for() again after every capture() and destroy()"});
  }

  /// What must be as at capture before every run of the graph, and is no part of it: the host's
  /// metadata on the device, and nothing in the fields that the graph computes.
  void fill(CapturedStep& step) const {
    if (!input_on_device) step.device.copy_from(step.host);
    step.device.reset_derived();
    step.executable->load_inputs();
  }

  void run(CapturedStep& step) const {
    if (watcher != nullptr) watcher->step_begins(step.number);
    fill(step);
    if (watcher != nullptr) watcher->run_begins();
    step.executable->run();
    if (watcher != nullptr) watcher->step_ends();
  }

  ReplayTimes run_timed(CapturedStep& step) const {
    ReplayTimes taken;
    if (watcher != nullptr) watcher->step_begins(step.number);
    const auto start = Clock::now();
    fill(step);
    taken.copy_ms = input_on_device ? 0 : milliseconds_since(start);
    if (watcher != nullptr) watcher->run_begins();
    const auto run_start = Clock::now();
    step.executable->run();
    taken.graph_ms = milliseconds_since(run_start);
    if (watcher != nullptr) watcher->step_ends();
    return taken;
  }
};

GraphRunner::GraphRunner(int max_batch_size, const Options& options, bool input_on_device)
    : GraphRunner(max_batch_size, options, input_on_device, BackendFactory()) {}

GraphRunner::GraphRunner(int max_batch_size, const Options& options, bool input_on_device,
                         BackendFactory make_backend)
    : state_(std::make_unique<State>()) {
  if (max_batch_size < 1)
    throw Error::bad_input(
        "graph runner", "the largest batch is too small",
        {.expected = "at least 1", .got = std::to_string(max_batch_size), .hint = {}});
  state_->options = options;
  state_->make_backend =
      make_backend ? std::move(make_backend) : BackendFactory(&deepinfer::make_backend);
  state_->max_batch = max_batch_size;
  state_->input_on_device = input_on_device;
  state_->sizes = step_sizes(max_batch_size, options.prefill_bucket);
}

GraphRunner::~GraphRunner() { destroy(); }

void GraphRunner::capture(const Model& model, KvCaches& kv_caches,
                          const PrepareInput& prepare_input,
                          const SequenceMetadata& padding_sequence, std::int64_t max_context,
                          bool trace, const CaptureProgress& progress) {
  destroy();
  State& state = *state_;
  try {
    state.backend = state.make_backend(state.options);
    StepCompiler compiler(*state.backend, state.options, state.memory_limit);
    const CapturedGraph::Owner owner = {.runner = state.owner.runner, .capture = next_storage_id()};
    std::vector<std::unique_ptr<CapturedStep>> captured;  // largest first
    int done = 0;
    const std::vector<StepSize> sizes_to_capture = state.largest_first(max_context);
    const int count = static_cast<int>(sizes_to_capture.size());
    const bool one_context = std::all_of(
        sizes_to_capture.begin(), sizes_to_capture.end(),
        [&](const StepSize& size) { return size.context == sizes_to_capture.front().context; });
    const auto tell = [&](const CaptureInfo& info) {
      if (progress.size) progress.size(info, done, count);
      ++done;
    };
    if (progress.programs)
      state.backend->report_compiles([&](std::size_t programs_done, std::size_t programs) {
        progress.programs(programs_done, programs, done, count);
      });
    for (const auto& [rows, context] : sizes_to_capture) {
      const auto start = Clock::now();
      const CompileCounts before = state.counts();
      const Graph built = build_step_graph(model.config(), kv_caches.layout(),
                                           {.rows = rows,
                                            .numerics = state.options.numerics,
                                            .max_context = context,
                                            .trace = trace});
      if (state.host == nullptr) {  // the largest size comes first and fixes the buffers
        state.host = std::make_unique<MetadataBuffers>(built);
        state.device = std::make_unique<MetadataBuffers>(built);
      }
      const StepBindings bindings(*model.checkpoint, kv_caches, *state.device);
      // The largest comes first and must work; the others have it to run at.
      const int larger = rows_that_hold(captured, context);
      std::optional<CompiledStep> compiled;
      if (larger == 0)
        compiled = compiler.compile(built, bindings, one_context ? 0 : context);
      else
        compiled =
            compiler.compile_or_leave_out(built, bindings, one_context ? 0 : context, larger);
      if (!compiled.has_value()) {
        state.left_out.insert(state.left_out.begin(), {.rows = rows,
                                                       .context = context,
                                                       .runs_at = larger,
                                                       .prefill = rows > state.max_batch,
                                                       .ops_built = built.nodes.size(),
                                                       .compile_ms = milliseconds_since(start)});
        tell(state.left_out.front());
        continue;
      }
      CompiledStep step = std::move(*compiled);
      const bool own_compiler = state.backend->compile_counts().has_value();
      if (step.mode != GraphMode::eager && !own_compiler) ++state.compiles;
      const CompileCounts after = state.counts();
      if (captured.empty())
        state.check_aliases(*step.graph, bindings);  // all sizes lie as this one
      auto entry =
          std::make_unique<CapturedStep>(std::move(step), *state.host, *state.device, kv_caches);
      const ExecutableInfo info = entry->executable->info();
      entry->info = {.rows = rows,
                     .context = context,
                     .runs_at = 0,
                     .prefill = rows > state.max_batch,
                     .mode = entry->mode,
                     .ops_built = built.nodes.size(),
                     .ops = info.ops,
                     .executables = info.executables,
                     .compiled = after.compiled - before.compiled,
                     .loaded = after.loaded - before.loaded,
                     .arena_bytes = info.arena_bytes,
                     .compile_ms = milliseconds_since(start),
                     .first_run_ms = 0,
                     .replays = 0};

      prepare_input({&padding_sequence, 1}, entry->host);
      entry->device.copy_from(entry->host);
      entry->device.reset_derived();
      entry->executable->load_inputs();
      const auto run_start = Clock::now();
      entry->executable->run();
      entry->device.check_derived();
      entry->info.first_run_ms = milliseconds_since(run_start);
      tell(entry->info);
      captured.push_back(std::move(entry));
    }
    std::reverse(captured.begin(), captured.end());
    for (std::unique_ptr<CapturedStep>& step : captured) {
      step->number = static_cast<int>(state.graphs.size());
      state.graphs.push_back(state.retired.handle(owner, std::move(step)));
    }
    state.owner = owner;
    state.checkpoint = model.checkpoint.get();
    state.backend->report_compiles({});
    state.notes = compiler.notes();
    const std::vector<std::string> notes = state.backend->notes();
    state.notes.insert(state.notes.end(), notes.begin(), notes.end());
    state.watch();
  } catch (...) {
    destroy();
    throw;
  }
}

std::vector<int> GraphRunner::graphs() const {
  std::vector<int> sizes;
  for (const auto& graph : state_->graphs)
    if (sizes.empty() || sizes.back() != graph->rows()) sizes.push_back(graph->rows());
  return sizes;
}

CapturedGraph& GraphRunner::graph_for(int rows) {
  const auto& graphs = state_->graphs;
  // The largest is always captured, for the longest sequences.
  return graph_for(rows, graphs.empty() ? 0 : graphs.back()->step().info.context);
}

CapturedGraph& GraphRunner::graph_for(int rows, std::int64_t context) {
  for (const auto& graph : state_->graphs)
    if (rows >= 1 && graph->rows() >= rows && graph->step().info.context >= context) return *graph;
  if (state_->graphs.empty())
    throw Error::bad_input(
        "graph runner", "no captured graph holds the rows",
        {.expected = "a captured graph", .got = std::to_string(rows), .hint = {}});
  const CaptureInfo& largest = state_->graphs.back()->step().info;
  if (rows < 1 || rows > largest.rows)
    throw Error::bad_input("graph runner", "no captured graph holds the rows",
                           {.expected = fmt::format("1 to {}", largest.rows),
                            .got = std::to_string(rows),
                            .hint = {}});
  throw Error::bad_input("graph runner", "no captured graph holds so long a sequence",
                         {.expected = fmt::format("at most {} positions", largest.context),
                          .got = std::to_string(context),
                          .hint = {}});
}

InputMetadata& GraphRunner::input(CapturedGraph& graph) { return state_->require(graph).host; }

InputMetadata& GraphRunner::device_input(CapturedGraph& graph) {
  return state_->require(graph).device;
}

StepOutput GraphRunner::replay(CapturedGraph& graph) {
  State& state = *state_;
  CapturedStep& step = state.require(graph);
  step.inputs.check();
  if (state.timed)
    state.times = state.run_timed(step);
  else
    state.run(step);
  step.device.check_derived();
  ++step.info.replays;
  state.count(step);
  state.output->executable = step.executable.get();
  StepOutput output;
  output.source_ = state.output;
  output.replay_ = ++state.output->replay;
  return output;
}

void GraphRunner::time_replays(bool on) {
  state_->timed = on;
  state_->times = {};
}

ReplayTimes GraphRunner::last_replay_times() const { return state_->times; }

void GraphRunner::observe(StepWatcher* watcher) {
  state_->watcher = watcher;
  state_->watch();
}

void GraphRunner::destroy() { state_->destroy(); }

std::vector<CaptureInfo> GraphRunner::captures() const {
  std::vector<CaptureInfo> infos;
  for (const auto& graph : state_->graphs) infos.push_back(graph->step().info);
  return infos;
}

std::vector<CaptureInfo> GraphRunner::left_out() const { return state_->left_out; }

std::uint64_t GraphRunner::replays(int rows) const {
  std::uint64_t sum = 0;
  for (const auto& graph : state_->graphs)
    if (graph->rows() == rows) sum += graph->step().info.replays;
  return sum;
}

std::uint64_t GraphRunner::compiles() const { return state_->compiles + state_->counts().compiled; }

std::uint64_t GraphRunner::compile_loads() const { return state_->counts().loaded; }

std::uint64_t GraphRunner::compile_retries() const { return state_->counts().retried; }

std::uint64_t GraphRunner::graph_hits() const { return state_->graph_hits; }

std::uint64_t GraphRunner::eager_fallbacks() const { return state_->eager_fallbacks; }

std::optional<DeviceMemoryUse> GraphRunner::device_memory() const {
  return state_->backend == nullptr ? std::nullopt : state_->backend->device_memory();
}

std::vector<std::string> GraphRunner::notes() const { return state_->notes; }

std::string GraphRunner::alias_report() const { return state_->alias_report; }

void GraphRunner::limit_memory(std::int64_t bytes) { state_->memory_limit = bytes; }

std::string GraphRunner::backend_description() const {
  return state_->backend == nullptr ? std::string() : state_->backend->describe();
}

TensorRef StepOutput::tensor(std::string_view name) const {
  if (source_ == nullptr || source_->executable == nullptr || source_->replay != replay_)
    throw Error::bad_input("step output", "is of an earlier replay and has been overwritten");
  return source_->executable->output(name);
}

std::span<const float> StepOutput::logits(int row) const {
  const TensorRef all = tensor("logits");
  if (row < 0 || row >= all.shape[0])
    throw Error::bad_input("step output", "there is no such row",
                           {.expected = fmt::format("0 to {}", all.shape[0] - 1),
                            .got = std::to_string(row),
                            .hint = {}});
  return {all.row<const float>(row), static_cast<std::size_t>(all.shape[1])};
}

std::span<const float> StepOutput::traced_f32(std::string_view name) const {
  const TensorRef values = tensor(name);
  return {values.as<const float>(), static_cast<std::size_t>(values.shape.elements())};
}

std::span<const std::int32_t> StepOutput::traced_i32(std::string_view name) const {
  const TensorRef values = tensor(name);
  return {values.as<const std::int32_t>(), static_cast<std::size_t>(values.shape.elements())};
}

}  // namespace deepinfer
