#pragma once

// A model made ready to run: opened, with caches allocated and graphs captured. What the engine and
// the single-sequence runner both stand on. Neither copied nor moved; one thread.

#include "cache/cache_plan.h"
#include "cache/kv_caches.h"
#include "deepinfer/graph_runner.h"
#include "deepinfer/options.h"
#include "deepinfer/start_memory.h"
#include "model/model.h"

namespace deepinfer {

class Runtime {
 public:
  /// `trace`: graphs also output the per-layer values of StepGraphOptions::trace. All memory of the
  /// run is taken here. Throws Error; one that names the parts if they do not fit what is free.
  Runtime(Model model, Options options, bool trace = false, const CaptureProgress& progress = {});
  /// The same on a backend of the caller's.
  Runtime(Model model, Options options, BackendFactory make_backend);
  ~Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  const Model& model() const { return model_; }
  const Options& options() const { return options_; }
  std::int64_t max_context() const { return plan_.max_context; }
  /// What this run holds, by name; see StartMemory.
  const StartMemory& memory() const { return memory_; }
  KvCaches& caches() { return caches_; }
  GraphRunner& runner() { return runner_; }
  const GraphRunner& runner() const { return runner_; }

  /// Runs one step over `sequences` on the smallest graph that holds their rows. Throws Error
  /// (bad_input) if a sequence's metadata is out of range.
  StepOutput step(std::span<const SequenceMetadata> sequences);

 private:
  Runtime(Model model, Options options, BackendFactory make_backend, bool trace,
          const CaptureProgress& progress);

  Model model_;
  Options options_;
  std::int64_t available_;  ///< memory that was free at the start
  CachePlan plan_;
  StartMemory memory_;
  KvCaches caches_;
  PrepareInput prepare_input_;
  GraphRunner runner_;
};

}  // namespace deepinfer
