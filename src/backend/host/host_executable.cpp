#include "backend/host/host_executable.h"

#include "backend/host/binding.h"

namespace deepinfer::host {
namespace {

std::vector<TensorRef> pick(const std::vector<TensorRef>& refs, const std::vector<ValueId>& ids) {
  std::vector<TensorRef> picked;
  picked.reserve(ids.size());
  for (const ValueId id : ids) picked.push_back(refs[static_cast<std::size_t>(id)]);
  return picked;
}

std::vector<std::span<const WeightRef>> pick(const std::vector<std::vector<WeightRef>>& weights,
                                             const std::vector<ValueId>& ids) {
  std::vector<std::span<const WeightRef>> picked;
  picked.reserve(ids.size());
  for (const ValueId id : ids) picked.emplace_back(weights[static_cast<std::size_t>(id)]);
  return picked;
}

}  // namespace

PlannedExecutable::PlannedExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                     const KernelTable& kernels, ThreadPool& pool, MemoryPlan plan,
                                     std::shared_ptr<AlignedBuffer> arena)
    : graph_(std::move(graph)),
      plan_(std::move(plan)),
      arena_(std::move(arena)),
      pool_(pool),
      values_(bind_given_values(*graph_, bindings)),
      weights_(bind_weights(*graph_, bindings)) {
  for (std::size_t id = 0; id < values_.size(); ++id)
    if (graph_->values[id].kind == ValueKind::intermediate)
      values_[id] = contiguous_ref(graph_->values[id], arena_->data() + plan_.values[id].offset);

  for (std::size_t index = 0; index < graph_->nodes.size(); ++index) {
    const Node& node = graph_->nodes[index];
    const Kernel& kernel = kernels[node.op];
    if (kernel.run == nullptr) continue;  // cache_view: already resolved into its ref
    ops_.push_back({.op = &node.op,
                    .run = kernel.run,
                    .inputs = pick(values_, node.operands),
                    .weights = pick(weights_, node.operands),
                    .results = pick(values_, node.results),
                    .workspace = arena_->data() + plan_.workspaces[index].offset});
  }
}

void PlannedExecutable::run() {
  for (const BoundOp& bound : ops_) {
    KernelContext context{.pool = pool_, .workspace = bound.workspace};
    bound.run(*bound.op, Operands(bound.inputs, bound.weights, bound.results), context);
  }
}

TensorRef PlannedExecutable::output(std::string_view name) const {
  return values_[static_cast<std::size_t>(find_output(*graph_, name).value)];
}

ExecutableInfo PlannedExecutable::info() const {
  return {.ops = ops_.size(), .arena_bytes = plan_.arena_bytes};
}

EagerExecutable::EagerExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                 const KernelTable& kernels, ThreadPool& pool)
    : graph_(std::move(graph)),
      kernels_(kernels),
      pool_(pool),
      values_(bind_given_values(*graph_, bindings)),
      weights_(bind_weights(*graph_, bindings)),
      buffers_(graph_->values.size()) {}

void EagerExecutable::run() {
  for (const Node& node : graph_->nodes) {
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
    KernelContext context{.pool = pool_, .workspace = workspace.data()};
    kernel.run(node.op, Operands(inputs, weights, results), context);
  }
}

TensorRef EagerExecutable::output(std::string_view name) const {
  return values_[static_cast<std::size_t>(find_output(*graph_, name).value)];
}

ExecutableInfo EagerExecutable::info() const {
  return {.ops = graph_->nodes.size(), .arena_bytes = 0};
}

}  // namespace deepinfer::host
