#include "backend/host/host_backend.h"

#include <algorithm>

#include "backend/host/eager_executable.h"
#include "backend/host/planned_executable.h"
#include "backend/host/regions_executable.h"

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

  const auto workspace = [this](const Graph& g, const Node& node) {
    return workspace_bytes(g, node);
  };
  if (mode == GraphMode::regions) {
    RegionPlan regions = plan_regions(*graph);
    RegionMemory memory = plan_region_memory(*graph, regions, workspace);
    auto arena = arena_of(memory.arena_bytes);
    return std::make_unique<RegionsExecutable>(std::move(graph), bindings, kernels_, pool_,
                                               std::move(regions), std::move(memory),
                                               std::move(arena));
  }
  MemoryPlan plan = plan_memory(*graph, workspace);
  auto arena = arena_of(plan.arena_bytes);
  return std::make_unique<PlannedExecutable>(std::move(graph), bindings, kernels_, pool_,
                                             std::move(plan), std::move(arena));
}

std::shared_ptr<AlignedBuffer> HostBackend::arena_of(std::size_t bytes) {
  if (arena_ == nullptr || arena_->size() < bytes) arena_ = std::make_shared<AlignedBuffer>(bytes);
  return arena_;
}

std::size_t HostBackend::work_bytes(const Graph& graph, GraphMode mode) const {
  const auto workspace = [this](const Graph& g, const Node& node) {
    return workspace_bytes(g, node);
  };
  switch (mode) {
    case GraphMode::whole:
      return plan_memory(graph, workspace).arena_bytes;
    case GraphMode::regions:
      return plan_region_memory(graph, plan_regions(graph), workspace).arena_bytes;
    case GraphMode::eager:
      break;
  }
  std::size_t results = 0;
  for (const Value& value : graph.values)
    if (value.kind == ValueKind::intermediate) results += align_up(value.bytes());
  std::size_t scratch = 0;
  for (const Node& node : graph.nodes) scratch = std::max(scratch, workspace_bytes(graph, node));
  return results + align_up(scratch);
}

std::size_t HostBackend::workspace_bytes(const Graph& graph, const Node& node) const {
  const Kernel& kernel = kernels_[node.op];
  return kernel.workspace == nullptr ? 0 : kernel.workspace(graph, node, pool_.size());
}

}  // namespace deepinfer::host
