#pragma once

// One captured size: its executable and its cuts of the metadata buffers. Owned by the GraphRunner,
// which keeps the object after destroy() or a later capture() so that a handle to it can still be
// refused; everything it held is gone by then.

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "deepinfer/graph_runner.h"
#include "runner/graph_inputs.h"
#include "runner/input_metadata.h"
#include "runner/step_compiler.h"

namespace deepinfer {

class CapturedGraph {
 public:
  /// `owner`: ids of the runner and of its capture that this belongs to.
  struct Owner {
    std::uint64_t runner = 0;
    std::uint64_t capture = 0;
  };
  CapturedGraph(Owner owner, CompiledStep step, MetadataBuffers& host, MetadataBuffers& device,
                const KvCaches& caches)
      : owner_(owner),
        rows_(step.graph->rows),
        mode_(step.mode),
        graph_(std::move(step.graph)),
        host_(host, rows_),
        device_(device, rows_),
        inputs_(device, caches),
        executable_(std::move(step.executable)) {}

  int rows() const { return rows_; }
  /// Where its inputs lay at capture.
  const GraphInputs& inputs() const { return inputs_; }

 private:
  friend class GraphRunner;

  /// Frees what the graph holds; only rows() may be asked from here on.
  void retire() {
    executable_.reset();
    graph_.reset();
  }

  Owner owner_;
  int rows_;
  GraphMode mode_;
  std::shared_ptr<const Graph> graph_;
  InputMetadata host_;
  InputMetadata device_;
  GraphInputs inputs_;
  std::unique_ptr<Executable> executable_;
  CaptureInfo info_;
  std::uint64_t replays_ = 0;
};

}  // namespace deepinfer
