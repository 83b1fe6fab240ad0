#include "backend/host/host_backend.h"

#include "backend/host/eager_executable.h"
#include "backend/host/planned_executable.h"

namespace deepinfer::host {

HostBackend::HostBackend(std::string name, std::string description, const KernelTable& kernels,
                         int threads)
    : name_(std::move(name)),
      description_(std::move(description)),
      kernels_(kernels),
      pool_(threads) {}

std::unique_ptr<Executable> HostBackend::compile(std::shared_ptr<const Graph> graph,
                                                 const Bindings& bindings, GraphMode mode) {
  if (mode == GraphMode::eager)
    return std::make_unique<EagerExecutable>(std::move(graph), bindings, kernels_, pool_);

  MemoryPlan plan = plan_memory(
      *graph, [this](const Graph& g, const Node& node) { return workspace_bytes(g, node); });
  if (arena_ == nullptr || arena_->size() < plan.arena_bytes)
    arena_ = std::make_shared<AlignedBuffer>(plan.arena_bytes);
  return std::make_unique<PlannedExecutable>(std::move(graph), bindings, kernels_, pool_,
                                             std::move(plan), arena_);
}

std::size_t HostBackend::workspace_bytes(const Graph& graph, const Node& node) const {
  const Kernel& kernel = kernels_[node.op];
  return kernel.workspace == nullptr ? 0 : kernel.workspace(graph, node, pool_.size());
}

}  // namespace deepinfer::host
