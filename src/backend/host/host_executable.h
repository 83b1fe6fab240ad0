#pragma once

// A graph bound to memory: one BoundOp per node, all pointers resolved at compile time.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/host/aligned_buffer.h"
#include "backend/host/kernel.h"
#include "graph/memory_plan.h"

namespace deepinfer::host {

/// Runs one plan over one arena. The calling thread and the pool's members share the work.
class PlannedExecutable : public Executable {
 public:
  PlannedExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                    const KernelTable& kernels, ThreadPool& pool, MemoryPlan plan,
                    std::shared_ptr<AlignedBuffer> arena);

  void run() override;
  TensorRef output(std::string_view name) const override;
  ExecutableInfo info() const override;
  /// The bytes it works in; what they hold before a run must not matter.
  std::span<std::byte> arena() const { return {arena_->data(), plan_.arena_bytes}; }

 private:
  struct BoundOp {
    const Op* op;
    Kernel::Run run;
    std::vector<TensorRef> inputs;
    std::vector<std::span<const WeightRef>> weights;
    std::vector<TensorRef> results;
    std::byte* workspace;
  };

  std::shared_ptr<const Graph> graph_;
  MemoryPlan plan_;
  std::shared_ptr<AlignedBuffer> arena_;
  ThreadPool& pool_;
  std::vector<TensorRef> values_;                // by value id
  std::vector<std::vector<WeightRef>> weights_;  // by value id
  std::vector<BoundOp> ops_;
};

/// Runs op by op as the seed's eager mode does: each op's results are fresh memory, taken when it
/// runs. Slower, plainer; the judge of PlannedExecutable.
class EagerExecutable : public Executable {
 public:
  EagerExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                  const KernelTable& kernels, ThreadPool& pool);

  void run() override;
  TensorRef output(std::string_view name) const override;
  ExecutableInfo info() const override;

 private:
  std::shared_ptr<const Graph> graph_;
  const KernelTable& kernels_;
  ThreadPool& pool_;
  std::vector<TensorRef> values_;
  std::vector<std::vector<WeightRef>> weights_;
  std::vector<AlignedBuffer> buffers_;  // by value id, of the last run
};

}  // namespace deepinfer::host
