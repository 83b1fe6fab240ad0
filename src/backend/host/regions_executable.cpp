#include "backend/host/regions_executable.h"

#include "backend/host/binding.h"

namespace deepinfer::host {

RegionsExecutable::RegionsExecutable(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                     const KernelTable& kernels, ThreadPool& pool,
                                     RegionPlan regions, RegionMemory memory,
                                     std::shared_ptr<AlignedBuffer> arena)
    : HostExecutable(std::move(graph), bindings, pool),
      regions_(std::move(regions)),
      memory_(std::move(memory)),
      arena_(std::move(arena)) {
  for (std::size_t kind = 0; kind < regions_.kinds.size(); ++kind)
    kinds_.push_back(code_of(*regions_.kinds[kind].graph, kernels, memory_.kinds[kind]));
  place_crossing_values();
  for (std::size_t index = 0; index < regions_.steps.size(); ++index) {
    const RegionStep& step = regions_.steps[index];
    std::byte* scratch = arena_->data() + memory_.scratch[index].offset;
    steps_.push_back(step.call >= 0 ? bind_call(step.call, scratch)
                                    : bind_node(step.node, kernels, scratch));
    ops_ += steps_.back().frame.size();
  }
}

RegionsExecutable::Code RegionsExecutable::code_of(const Graph& graph, const KernelTable& kernels,
                                                   const MemoryPlan& memory) {
  Code code;
  code.reserve(graph.nodes.size());
  for (std::size_t index = 0; index < graph.nodes.size(); ++index)
    code.push_back({.op = &graph.nodes[index].op,
                    .run = kernels[graph.nodes[index].op].run,
                    .workspace = memory.workspaces[index].offset});
  return code;
}

void RegionsExecutable::place_crossing_values() {
  for (std::size_t id = 0; id < values_.size(); ++id)
    if (memory_.values[id].bytes > 0)
      values_[id] = contiguous_ref(graph_->values[id], arena_->data() + memory_.values[id].offset);
}

RegionsExecutable::Step RegionsExecutable::bind_call(int index, std::byte* scratch) const {
  const RegionCall& call = regions_.calls[static_cast<std::size_t>(index)];
  const auto kind = static_cast<std::size_t>(call.kind);
  const RegionKind& region = regions_.kinds[kind];
  const Graph& graph = *region.graph;
  const MemoryPlan& plan = memory_.kinds[kind];

  // By value of the kind's graph: arguments and results where the step has them, the rest in
  // scratch. An op that works in place shares its operand's storage.
  std::vector<TensorRef> values(graph.values.size());
  for (std::size_t i = 0; i < region.arguments.size(); ++i) {
    const auto inner = static_cast<std::size_t>(region.arguments[i]);
    const auto outer = static_cast<std::size_t>(call.arguments[i]);
    values[inner] = values_[outer];
  }
  std::vector<std::byte*> storage(graph.values.size(), nullptr);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const auto owner = plan.storage_of[static_cast<std::size_t>(graph.outputs[i].value)];
    storage[static_cast<std::size_t>(owner)] =
        values_[static_cast<std::size_t>(call.results[i])].data;
  }
  for (std::size_t id = 0; id < graph.values.size(); ++id) {
    const Value& value = graph.values[id];
    if (value.argument) continue;
    std::byte* brought = storage[static_cast<std::size_t>(plan.storage_of[id])];
    values[id] =
        contiguous_ref(value, brought != nullptr ? brought : scratch + plan.values[id].offset);
  }

  Step step{.call = index, .code = &kinds_[kind], .frame = {}, .scratch = scratch};
  step.frame.reserve(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    FrameOp& op = step.frame.emplace_back();
    op.node = call.nodes[i];
    op.inputs = pick(values, node.operands);
    op.results = pick(values, node.results);
    // Spans of the step's own weight lists, which outlive this call.
    for (const ValueId id : graph_->nodes[static_cast<std::size_t>(op.node)].operands)
      op.weights.emplace_back(weights_[static_cast<std::size_t>(id)]);
  }
  return step;
}

RegionsExecutable::Step RegionsExecutable::bind_node(int index, const KernelTable& kernels,
                                                     std::byte* scratch) {
  const Node& node = graph_->nodes[static_cast<std::size_t>(index)];
  lone_nodes_.push_back(
      std::make_unique<Code>(Code{{.op = &node.op, .run = kernels[node.op].run, .workspace = 0}}));
  Step step{.call = -1, .code = lone_nodes_.back().get(), .frame = {}, .scratch = scratch};
  step.frame.push_back({.node = index,
                        .inputs = pick(values_, node.operands),
                        .weights = pick(weights_, node.operands),
                        .results = pick(values_, node.results)});
  return step;
}

void RegionsExecutable::run() {
  pool_.observe(observer_);
  for (const Step& step : steps_) {
    const bool announced = observer_ != nullptr && step.call >= 0;
    if (announced) observer_->region_begins(step.call);
    for (std::size_t index = 0; index < step.frame.size(); ++index) {
      const CodeOp& code = (*step.code)[index];
      const FrameOp& frame = step.frame[index];
      run_kernel(frame.node, *code.op, code.run,
                 Operands(frame.inputs, frame.weights, frame.results),
                 step.scratch + code.workspace);
    }
    if (announced) observer_->region_ends(step.call);
  }
}

ExecutableInfo RegionsExecutable::info() const {
  return {.ops = ops_, .arena_bytes = memory_.arena_bytes, .executables = regions_.kinds.size()};
}

}  // namespace deepinfer::host
