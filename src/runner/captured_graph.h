#pragma once

// One captured size: its executable and its cuts of the metadata buffers. Owned by the GraphRunner.

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "deepinfer/graph_runner.h"
#include "runner/input_metadata.h"

namespace deepinfer {

class CapturedGraph {
 public:
  CapturedGraph(std::shared_ptr<const Graph> graph, MetadataBuffers& host, MetadataBuffers& device)
      : graph_(std::move(graph)), host_(host, graph_->rows), device_(device, graph_->rows) {}

  int rows() const { return graph_->rows; }

 private:
  friend class GraphRunner;

  std::shared_ptr<const Graph> graph_;
  InputMetadata host_;
  InputMetadata device_;
  std::unique_ptr<Executable> executable_;
  CaptureInfo info_;
  std::uint64_t replays_ = 0;
};

}  // namespace deepinfer
