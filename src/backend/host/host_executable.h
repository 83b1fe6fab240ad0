#pragma once

// What the executables of the three graph modes have in common: a graph, its given values bound to
// memory, and who is told about a run.

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/host/kernel.h"
#include "backend/step_observer.h"

namespace deepinfer::host {

class HostExecutable : public Executable {
 public:
  TensorRef output(std::string_view name) const override;
  const Graph& graph() const override { return *graph_; }
  void observe(StepObserver* observer) override { observer_ = observer; }

 protected:
  HostExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings, ThreadPool& pool);

  /// Runs a kernel as node `node` of the graph and tells the observer.
  void run_kernel(int node, const Op& op, Kernel::Run run, const Operands& io,
                  std::byte* workspace) const {
    KernelContext context{.pool = pool_, .workspace = workspace};
    if (observer_ != nullptr) observer_->op_begins(node);
    run(op, io, context);
    if (observer_ != nullptr) observer_->op_ends(node);
  }

  static std::vector<TensorRef> pick(const std::vector<TensorRef>& refs,
                                     const std::vector<ValueId>& ids);
  static std::vector<std::span<const WeightRef>> pick(
      const std::vector<std::vector<WeightRef>>& weights, const std::vector<ValueId>& ids);

  std::shared_ptr<const Graph> graph_;
  ThreadPool& pool_;
  StepObserver* observer_ = nullptr;
  std::vector<TensorRef> values_;                // by value id
  std::vector<std::vector<WeightRef>> weights_;  // by value id
};

}  // namespace deepinfer::host
