#pragma once

// One captured size. What users hold is the CapturedGraph, a handle of a few bytes; what it stands
// for, the executable and its cuts of the metadata buffers, is a CapturedStep that the handle owns
// until the runner retires it. Handles outlive destroy() and later captures so that their use can
// be refused: retired_graphs.h says for how long.

#include <cstdint>
#include <memory>
#include <utility>

#include "backend/backend.h"
#include "deepinfer/error.h"
#include "deepinfer/graph_runner.h"
#include "runner/graph_inputs.h"
#include "runner/input_metadata.h"
#include "runner/step_compiler.h"

namespace deepinfer {

/// Owned by its CapturedGraph; may not outlive the runner's backend and buffers.
struct CapturedStep {
  CapturedStep(CompiledStep step, MetadataBuffers& host_buffers, MetadataBuffers& device_buffers,
               const KvCaches& caches)
      : mode(step.mode),
        graph(std::move(step.graph)),
        host(host_buffers, *graph),
        device(device_buffers, *graph),
        inputs(device_buffers, caches),
        executable(std::move(step.executable)) {}

  GraphMode mode;
  std::shared_ptr<const Graph> graph;
  InputMetadata host;
  InputMetadata device;
  GraphInputs inputs;
  std::unique_ptr<Executable> executable;
  CaptureInfo info;  ///< counts its replays
  int number = 0;    ///< among the captured graphs, ascending
};

class CapturedGraph {
 public:
  /// Ids of the runner and of its capture that a graph belongs to.
  struct Owner {
    std::uint64_t runner = 0;
    std::uint64_t capture = 0;
  };
  /// Stands for a captured step of `rows` rows.
  CapturedGraph(Owner owner, int rows, std::unique_ptr<CapturedStep> step)
      : owner_(owner), rows_(rows), step_(std::move(step)) {}

  int rows() const { return rows_; }
  const Owner& owner() const { return owner_; }
  /// Throws Error (bad_input) if it is retired.
  CapturedStep& step() const {
    if (step_ == nullptr) throw Error::bad_input("captured graph", "has been destroyed");
    return *step_;
  }
  /// Where its inputs lay at capture. Throws as step() does.
  const GraphInputs& inputs() const { return step().inputs; }

  /// Frees the step; rows() and owner() stay.
  void retire() { step_.reset(); }
  /// Makes a retired handle stand for another capture's step of as many rows.
  void reuse(Owner owner, std::unique_ptr<CapturedStep> step) {
    owner_ = owner;
    step_ = std::move(step);
  }

 private:
  Owner owner_;
  int rows_;
  std::unique_ptr<CapturedStep> step_;
};

}  // namespace deepinfer
