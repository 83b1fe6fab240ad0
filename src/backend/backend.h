#pragma once

// A backend compiles graphs for a device and runs them. It sees values and bytes: no request, no
// sequence, no checkpoint.
//
// A Backend and its Executables are used by one thread at a time (they use threads of their own).
// An Executable may not outlive its Backend or the memory it was bound to.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/step_observer.h"
#include "backend/tensor_ref.h"
#include "cache/cache_plan.h"
#include "deepinfer/options.h"
#include "deepinfer/start_memory.h"
#include "graph/graph.h"

namespace deepinfer {

/// Where a graph's given values lie. All pointers must stay valid while the executable lives.
class Bindings {
 public:
  virtual ~Bindings() = default;
  /// Storage of a metadata buffer or root.
  virtual std::byte* storage(const Value& value) const = 0;
  /// One ref per checkpoint tensor of a weight (banks: one per expert).
  virtual std::vector<WeightRef> weights(const Value& value) const = 0;
};

/// What is known of a compiled graph, for the start table.
struct ExecutableInfo {
  std::size_t ops = 0;
  std::size_t arena_bytes = 0;
  std::size_t executables = 0;  ///< compiled units: one, or one per kind of region; eager: none
};

/// What a backend's own compiler has done so far, in programs.
struct CompileCounts {
  std::uint64_t compiled = 0;
  std::uint64_t loaded = 0;   ///< found compiled on disk
  std::uint64_t retried = 0;  ///< compiles that failed once
};

/// Told how many of a graph's programs are done, out of those that had to be compiled or loaded.
using CompileProgress = std::function<void(std::size_t done, std::size_t programs)>;

class Executable {
 public:
  virtual ~Executable() = default;
  /// Brings the bound metadata to a device that has memory apart. Before a run, and no part of it:
  /// a run without it does it first.
  virtual void load_inputs() {}
  /// Runs the step over the bound metadata, weights and roots.
  virtual void run() = 0;
  /// A graph output of the last run; valid until the next run of any executable of the backend.
  /// Throws Error (bad_input) if the graph has no such output.
  virtual TensorRef output(std::string_view name) const = 0;
  virtual ExecutableInfo info() const = 0;
  /// The graph as compiled: what observed node numbers count.
  virtual const Graph& graph() const = 0;
  /// Tells `observer` of everything that later runs do; nullptr: nobody. It must outlive them.
  virtual void observe(StepObserver* observer) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  /// One line for people: instruction set, threads.
  virtual std::string describe() const = 0;
  /// eager: op by op, every result in memory of its own. whole: one plan over one arena, which all
  /// executables of the backend share if it is large enough (compile the largest first). regions:
  /// layers of a kind share code, bound to their own weights and views (graph/regions.h).
  virtual std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph,
                                              const Bindings& bindings, GraphMode mode) = 0;
  /// Tells `progress` of later compile() calls, on their thread; what it throws ends them.
  virtual void report_compiles(const CompileProgress& /*progress*/) {}
  /// Empty: the backend has no compiler of its own.
  virtual std::optional<CompileCounts> compile_counts() const { return std::nullopt; }
  /// Memory taken on a device that has its own; empty: the backend has no such device.
  virtual std::optional<DeviceMemoryUse> device_memory() const { return std::nullopt; }
  /// What people must be told of the backend's work so far: a line each.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Bytes that runs of the graph work in once it is compiled: its arena, which graphs of the same
  /// mode share; in mode eager the results it keeps, and the largest scratch.
  /// 0: the backend cannot say.
  virtual std::size_t work_bytes(const Graph& /*graph*/, GraphMode /*mode*/) const { return 0; }
  /// Scratch bytes that a compiled graph sets aside for `node`: for showing plans.
  virtual std::size_t workspace_bytes(const Graph& graph, const Node& node) const = 0;
};

/// What the backend that `options` ask for needs of its caches: known before it is made.
CacheNeeds cache_needs(const Options& options);

/// The backend that `options` asks for. Throws Error (bad_input) if this machine cannot run it.
std::unique_ptr<Backend> make_backend(const Options& options);

}  // namespace deepinfer
