#include "backend/host/eager_executable.h"

#include "backend/host/binding.h"

namespace deepinfer::host {

EagerExecutable::EagerExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                 const KernelTable& kernels, ThreadPool& pool)
    : HostExecutable(std::move(graph), bindings, pool),
      kernels_(kernels),
      buffers_(graph_->values.size()) {}

void EagerExecutable::run() {
  pool_.observe(observer_);
  for (std::size_t node_index = 0; node_index < graph_->nodes.size(); ++node_index) {
    const Node& node = graph_->nodes[node_index];
    const Kernel& kernel = kernels_[node.op];
    if (kernel.run == nullptr) continue;
    for (const ValueId id : node.results) {
      const auto index = static_cast<std::size_t>(id);
      const Value& value = graph_->values[index];
      buffers_[index] = AlignedBuffer(value.bytes());
      values_[index] = contiguous_ref(value, buffers_[index].data());
    }
    const AlignedBuffer workspace(
        kernel.workspace == nullptr ? 0 : kernel.workspace(*graph_, node, pool_.size()));
    const std::vector<TensorRef> inputs = pick(values_, node.operands);
    const std::vector<std::span<const WeightRef>> weights = pick(weights_, node.operands);
    const std::vector<TensorRef> results = pick(values_, node.results);
    run_kernel(static_cast<int>(node_index), node.op, kernel.run,
               Operands(inputs, weights, results), workspace.data());
  }
}

ExecutableInfo EagerExecutable::info() const {
  return {.ops = graph_->nodes.size(), .arena_bytes = 0, .executables = 0};
}

}  // namespace deepinfer::host
