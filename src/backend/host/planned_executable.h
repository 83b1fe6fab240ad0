#pragma once

// Mode `whole`: one plan over one arena, one BoundOp per node, all pointers resolved at compile
// time.

#include "backend/host/aligned_buffer.h"
#include "backend/host/host_executable.h"
#include "graph/memory_plan.h"

namespace deepinfer::host {

/// The calling thread and the pool's members share the work.
class PlannedExecutable : public HostExecutable {
 public:
  PlannedExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                    const KernelTable& kernels, ThreadPool& pool, MemoryPlan plan,
                    std::shared_ptr<AlignedBuffer> arena);

  void run() override;
  ExecutableInfo info() const override;
  /// The bytes it works in; what they hold before a run must not matter.
  std::span<std::byte> arena() const { return {arena_->data(), plan_.arena_bytes}; }

 private:
  struct BoundOp {
    int node;
    const Op* op;
    Kernel::Run run;
    std::vector<TensorRef> inputs;
    std::vector<std::span<const WeightRef>> weights;
    std::vector<TensorRef> results;
    std::byte* workspace;
  };

  MemoryPlan plan_;
  std::shared_ptr<AlignedBuffer> arena_;
  std::vector<BoundOp> ops_;
};

}  // namespace deepinfer::host
