#pragma once

// Any step graph, built or read from text, run over a model's weights and caches of its own: what
// the runner does at capture and replay, for one graph that the test brings.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cache/kv_caches.h"
#include "deepinfer/graph_runner.h"
#include "model/model.h"
#include "runner/input_metadata.h"

namespace deepinfer {

class GraphRun {
 public:
  /// `model` must outlive this. `geometry` must be the one that the graph was built for.
  GraphRun(const Model& model, const CacheGeometry& geometry, Graph graph,
           std::unique_ptr<Backend> backend, GraphMode mode);
  ~GraphRun();
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;

  /// One step of one sequence in slot 0, whose blocks are in order: rows `first` to the end of
  /// `tokens`. Returns the logits of all these rows.
  std::vector<float> step(std::span<const std::int32_t> tokens, std::int64_t first);
  /// Bytes of all roots.
  std::int64_t root_bytes() const;
  ExecutableInfo info() const { return executable_->info(); }

 private:
  class StepBindings;

  KvCaches caches_;
  std::shared_ptr<const Graph> graph_;
  MetadataBuffers metadata_;
  InputMetadata input_;
  PrepareInput prepare_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<StepBindings> bindings_;
  std::unique_ptr<Executable> executable_;
};

}  // namespace deepinfer
