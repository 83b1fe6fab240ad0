#pragma once

// GraphRunner: static graphs of the forward pass, captured once per size and replayed for every
// step.
//
// The contract is the seed document's. capture() builds, compiles and runs one graph per size over
// the same persistent metadata buffers, cut to the size; with context buckets one per size and
// longest sequence. replay() copies the host metadata of a
// size into its device metadata, outside the graph, and runs it. A runner and what it hands out
// belong to one thread. The model and the caches must outlive the captured graphs. A CapturedGraph
// may be held as long as the runner lives; using it after destroy() or a later capture() is an
// Error.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/options.h"
#include "deepinfer/start_memory.h"

namespace deepinfer {

class Backend;
struct TensorRef;
class KvCaches;
struct Model;
class InputMetadata;
class CapturedGraph;
class StepWatcher;

/// Makes the backend that a runner captures on; see GraphRunner's second constructor.
using BackendFactory = std::function<std::unique_ptr<Backend>(const Options& options)>;

/// One sequence's rows of a step: `rows` tokens from position `first_position` on.
struct SequenceMetadata {
  std::span<const std::int32_t>
      tokens;  ///< the sequence from position 0, first_position + rows at least
  std::int64_t first_position = 0;
  int rows = 1;
  std::int32_t slot = 0;                 ///< row of the state buffer
  std::span<const std::int32_t> blocks;  ///< rows of the KV buffer, by position / block_tokens
  bool wants_logits = true;              ///< logits of the last row
  bool all_logits = false;               ///< logits of every row
};

/// Fills the host metadata of one size from the sequences of a step, padding the rest.
using PrepareInput =
    std::function<void(std::span<const SequenceMetadata> sequences, InputMetadata& input)>;

/// Results of one replay: a view of memory that the next replay overwrites. Reading it after a
/// later replay (or destroy) throws Error instead of giving another step's numbers.
class StepOutput {
 public:
  /// Logits [vocab] of row `row`; zeros for a row that did not want them.
  std::span<const float> logits(int row) const;
  /// A traced value of the step, whole: see GraphRunner::capture. f32 or i32 by its type.
  std::span<const float> traced_f32(std::string_view name) const;
  std::span<const std::int32_t> traced_i32(std::string_view name) const;

 private:
  friend class GraphRunner;
  struct Source;
  /// The output `name`, if this is still the last replay.
  TensorRef tensor(std::string_view name) const;

  std::shared_ptr<const Source> source_;
  std::uint64_t replay_ = 0;
};

/// One line of the start table.
struct CaptureInfo {
  int rows = 0;
  std::int64_t context = 0;           ///< positions that a sequence may have
  int runs_at = 0;                    ///< 0: captured; else left out, its rows run at this size
  bool prefill = false;               ///< larger than any batch: only prompt chunks run it
  GraphMode mode = GraphMode::whole;  ///< what it runs as: asked for, or fallen back to
  std::size_t ops_built = 0;          ///< as the model was built
  std::size_t ops = 0;                ///< as it is run, after the passes (eager: as built)
  std::size_t executables = 0;  ///< compiled units: one, or one per kind of region; eager: none
  std::size_t compiled = 0;     ///< for this size, by a backend with a compiler of its own
  std::size_t loaded = 0;       ///< of its programs, found compiled on disk
  std::size_t arena_bytes = 0;
  double compile_ms = 0;
  double first_run_ms = 0;
  std::uint64_t replays = 0;  ///< since capture
};

/// What one replay took, in milliseconds. The copy is outside the graph: graph_ms has none of it.
struct ReplayTimes {
  double copy_ms = 0;   ///< host metadata to device metadata; 0 with input_on_device
  double graph_ms = 0;  ///< the executable's run
};

/// Told while capture() runs, on its thread; what it throws ends the capture. Either may be empty.
struct CaptureProgress {
  /// After each size, those that are left out too.
  std::function<void(const CaptureInfo& done, int index, int count)> size = {};
  /// Now and then while a backend with a compiler of its own makes the programs of size `index`.
  std::function<void(std::size_t done, std::size_t programs, int index, int count)> programs = {};
};

class GraphRunner {
 public:
  /// Sizes are 1, 2, 4, … up to `max_batch_size`, and options.prefill_bucket; each is captured for
  /// every length that step_contexts() gives for options.context_bucket. With
  /// `input_on_device` the caller fills the device metadata itself and replay() does not copy.
  GraphRunner(int max_batch_size, const Options& options, bool input_on_device = false);
  /// The same on a backend of the caller's; an empty factory: the one that `options` name.
  GraphRunner(int max_batch_size, const Options& options, bool input_on_device,
              BackendFactory make_backend);
  /// A factory would pass for a bool.
  GraphRunner(int max_batch_size, const Options& options, BackendFactory make_backend) = delete;
  ~GraphRunner();
  GraphRunner(const GraphRunner&) = delete;
  GraphRunner& operator=(const GraphRunner&) = delete;

  /// Destroys what was captured before; then, largest size first, builds, compiles and runs each
  /// graph once on padding rows. `max_context` fixes the block table's width, in a graph of a
  /// smaller context bucket that does. With `trace` every
  /// graph also outputs the values of StepGraphOptions::trace. With --fullgraph false a size that
  /// no graph mode can compile is left out, and its rows run at the next larger one; the largest
  /// has none. Throws Error; nothing stays captured then.
  void capture(const Model& model, KvCaches& kv_caches, const PrepareInput& prepare_input,
               const SequenceMetadata& padding_sequence, std::int64_t max_context,
               bool trace = false, const CaptureProgress& progress = {});

  /// Bytes that a step of later captures may work in; more is refused, or falls back to another
  /// graph mode with --fullgraph false.
  void limit_memory(std::int64_t bytes);

  /// Captured sizes, ascending; empty before capture and after destroy.
  std::vector<int> graphs() const;
  /// The smallest captured size that holds `rows`, for sequences of any length. Throws Error
  /// (bad_input) if there is none.
  CapturedGraph& graph_for(int rows);
  /// The same for sequences of up to `context` positions: the smallest bucket that holds them.
  CapturedGraph& graph_for(int rows, std::int64_t context);
  /// Host metadata of a captured graph, for the caller to fill before replay().
  InputMetadata& input(CapturedGraph& graph);
  /// Device metadata, for callers of input_on_device.
  InputMetadata& device_input(CapturedGraph& graph);

  /// Copies the host metadata to the device metadata (unless input_on_device), then runs the graph.
  /// Throws Error if the graph is not captured (any more) or one of its inputs has moved.
  StepOutput replay(CapturedGraph& graph);

  /// From the next replay on, replays are timed (or not; the clock is then not read).
  void time_replays(bool on);
  /// Of the last replay, if it was timed; else zeros.
  ReplayTimes last_replay_times() const;

  /// Tells `watcher` what is captured, now and by later captures, and of everything that replays do
  /// from here on; nullptr: nobody. It must outlive them. Logits do not depend on it.
  void observe(StepWatcher* watcher);

  /// Frees graphs and buffers. Safe to call twice; replay() afterwards throws Error.
  void destroy();

  /// Of the captured graphs, ascending by size, then by context.
  std::vector<CaptureInfo> captures() const;
  /// Of the graphs that could not be compiled, in the same order.
  std::vector<CaptureInfo> left_out() const;
  /// Replays of a captured size since capture, at all lengths.
  std::uint64_t replays(int rows) const;
  /// Counters since construction. compiles: graphs that were compiled, or, of a backend with a
  /// compiler of its own, programs; such programs found compiled on disk; its compiles that failed
  /// once. Then: replays of compiled graphs; replays that ran op by op although a graph was asked
  /// for.
  std::uint64_t compiles() const;
  std::uint64_t compile_loads() const;
  std::uint64_t compile_retries() const;
  std::uint64_t graph_hits() const;
  std::uint64_t eager_fallbacks() const;
  /// Memory that what is captured holds on a device of its own; empty: it has none.
  std::optional<DeviceMemoryUse> device_memory() const;
  /// What the last capture did otherwise than asked: lines for people, none if nothing.
  std::vector<std::string> notes() const;
  /// With options.alias_debug: which inputs of the captured graphs share bytes, a line per pair.
  std::string alias_report() const;
  std::string backend_description() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace deepinfer
