#pragma once

// Mode `regions`: the code of a region exists once per kind; every layer's call brings its own
// operands. Nodes outside layers run by themselves.

#include "backend/host/aligned_buffer.h"
#include "backend/host/host_executable.h"
#include "graph/regions.h"

namespace deepinfer::host {

/// The calling thread and the pool's members share the work.
class RegionsExecutable : public HostExecutable {
 public:
  RegionsExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                    const KernelTable& kernels, ThreadPool& pool, RegionPlan regions,
                    RegionMemory memory, std::shared_ptr<AlignedBuffer> arena);

  void run() override;
  ExecutableInfo info() const override;
  /// The bytes it works in; what they hold before a run must not matter.
  std::span<std::byte> arena() const { return {arena_->data(), memory_.arena_bytes}; }

 private:
  /// What all calls of a kind share: an op and where its scratch lies in the call's.
  struct CodeOp {
    const Op* op;
    Kernel::Run run;
    std::size_t workspace;
  };
  using Code = std::vector<CodeOp>;

  /// What one call brings: the operands of each op, and its node in the step graph.
  struct FrameOp {
    int node;
    std::vector<TensorRef> inputs;
    std::vector<std::span<const WeightRef>> weights;
    std::vector<TensorRef> results;
  };
  struct Step {
    int call;          // -1: a node by itself
    const Code* code;  // of the call's kind, or of the node
    std::vector<FrameOp> frame;
    std::byte* scratch;
  };

  static Code code_of(const Graph& graph, const KernelTable& kernels, const MemoryPlan& memory);
  void place_crossing_values();
  Step bind_call(int index, std::byte* scratch) const;
  Step bind_node(int index, const KernelTable& kernels, std::byte* scratch);

  RegionPlan regions_;
  RegionMemory memory_;
  std::shared_ptr<AlignedBuffer> arena_;
  std::vector<Code> kinds_;
  std::vector<std::unique_ptr<Code>> lone_nodes_;
  std::vector<Step> steps_;
  std::size_t ops_ = 0;
};

}  // namespace deepinfer::host
