#include "backend/host/planned_executable.h"

#include "backend/host/binding.h"

namespace deepinfer::host {

PlannedExecutable::PlannedExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                     const KernelTable& kernels, ThreadPool& pool, MemoryPlan plan,
                                     std::shared_ptr<AlignedBuffer> arena)
    : HostExecutable(std::move(graph), bindings, pool),
      plan_(std::move(plan)),
      arena_(std::move(arena)) {
  for (std::size_t id = 0; id < values_.size(); ++id)
    if (graph_->values[id].kind == ValueKind::intermediate)
      values_[id] = contiguous_ref(graph_->values[id], arena_->data() + plan_.values[id].offset);

  for (std::size_t index = 0; index < graph_->nodes.size(); ++index) {
    const Node& node = graph_->nodes[index];
    const Kernel& kernel = kernels[node.op];
    if (kernel.run == nullptr) continue;  // cache_view: already resolved into its ref
    ops_.push_back({.node = static_cast<int>(index),
                    .op = &node.op,
                    .run = kernel.run,
                    .inputs = pick(values_, node.operands),
                    .weights = pick(weights_, node.operands),
                    .results = pick(values_, node.results),
                    .workspace = arena_->data() + plan_.workspaces[index].offset});
  }
}

void PlannedExecutable::run() {
  pool_.observe(observer_);
  for (const BoundOp& bound : ops_)
    run_kernel(bound.node, *bound.op, bound.run,
               Operands(bound.inputs, bound.weights, bound.results), bound.workspace);
}

ExecutableInfo PlannedExecutable::info() const {
  return {.ops = ops_.size(), .arena_bytes = plan_.arena_bytes, .executables = 1};
}

}  // namespace deepinfer::host
