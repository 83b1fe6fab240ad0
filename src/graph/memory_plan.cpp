#include "graph/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace deepinfer {
namespace {

/// First and last node of every value's own life (before in-place sharing).
std::vector<Placement> lives(const Graph& graph) {
  std::vector<Placement> result(graph.values.size());
  for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
    const Node& node = graph.nodes[index];
    for (const ValueId id : node.results) {
      const Value& value = graph.value(id);
      if (value.kind != ValueKind::intermediate) continue;
      result[static_cast<std::size_t>(id)] = {.offset = 0,
                                              .bytes = align_up(value.bytes()),
                                              .first_node = static_cast<int>(index),
                                              .last_node = static_cast<int>(index)};
    }
    for (const ValueId id : node.operands)
      result[static_cast<std::size_t>(id)].last_node = static_cast<int>(index);
  }
  for (const GraphOutput& output : graph.outputs)
    result[static_cast<std::size_t>(output.value)].last_node = static_cast<int>(graph.nodes.size());
  return result;
}

/// Lets result 0 of in-place ops take over an operand that dies at that op.
void share_in_place(const Graph& graph, MemoryPlan& plan) {
  for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
    const Node& node = graph.nodes[index];
    const int operand = in_place_operand(node.op);
    if (operand < 0) continue;
    const ValueId source = node.operands[static_cast<std::size_t>(operand)];
    const ValueId result = node.results.front();
    const Placement& life = plan.values[static_cast<std::size_t>(source)];
    const bool twice = std::count(node.operands.begin(), node.operands.end(), source) > 1;
    if (graph.value(source).kind != ValueKind::intermediate || graph.value(source).argument ||
        twice || life.last_node != static_cast<int>(index) ||
        graph.value(source).bytes() != graph.value(result).bytes())
      continue;
    const ValueId storage = plan.storage_of[static_cast<std::size_t>(source)];
    plan.storage_of[static_cast<std::size_t>(result)] = storage;
    Placement& owner = plan.values[static_cast<std::size_t>(storage)];
    owner.last_node =
        std::max(owner.last_node, plan.values[static_cast<std::size_t>(result)].last_node);
  }
}

bool lives_overlap(const Placement& a, const Placement& b) {
  return a.first_node <= b.last_node && b.first_node <= a.last_node;
}

}  // namespace

std::size_t align_up(std::size_t bytes) {
  return (bytes + MemoryPlan::kAlignment - 1) / MemoryPlan::kAlignment * MemoryPlan::kAlignment;
}

// Greedy by size: each block takes the lowest offset that is free over its whole life.
std::size_t place_blocks(std::vector<Placement*> blocks) {
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Placement* a, const Placement* b) { return a->bytes > b->bytes; });
  std::vector<const Placement*> placed;  // kept sorted by offset
  std::size_t arena = 0;
  for (Placement* block : blocks) {
    std::size_t offset = 0;
    for (const Placement* other : placed) {
      if (!lives_overlap(*block, *other)) continue;
      if (offset + block->bytes <= other->offset) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    block->offset = offset;
    arena = std::max(arena, offset + block->bytes);
    placed.insert(std::upper_bound(
                      placed.begin(), placed.end(), block,
                      [](const Placement* a, const Placement* b) { return a->offset < b->offset; }),
                  block);
  }
  return arena;
}

MemoryPlan plan_memory(const Graph& graph, const WorkspaceBytes& workspace_bytes,
                       OutputStorage outputs) {
  MemoryPlan plan;
  plan.values = lives(graph);
  plan.storage_of.resize(graph.values.size());
  std::iota(plan.storage_of.begin(), plan.storage_of.end(), 0);
  plan.workspaces.resize(graph.nodes.size());
  for (const Placement& value : plan.values) plan.unshared_bytes += value.bytes;
  share_in_place(graph, plan);
  if (outputs == OutputStorage::caller)
    for (const GraphOutput& output : graph.outputs)
      plan.values[static_cast<std::size_t>(plan.storage_of[static_cast<std::size_t>(output.value)])]
          .bytes = 0;

  std::vector<Placement*> blocks;
  for (std::size_t id = 0; id < plan.values.size(); ++id)
    if (plan.values[id].bytes > 0 && plan.storage_of[id] == static_cast<ValueId>(id))
      blocks.push_back(&plan.values[id]);
  for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
    const std::size_t bytes = align_up(workspace_bytes(graph, graph.nodes[index]));
    plan.workspaces[index] = {.offset = 0,
                              .bytes = bytes,
                              .first_node = static_cast<int>(index),
                              .last_node = static_cast<int>(index)};
    plan.unshared_bytes += bytes;
    if (bytes > 0) blocks.push_back(&plan.workspaces[index]);
  }
  plan.arena_bytes = place_blocks(std::move(blocks));

  for (std::size_t id = 0; id < plan.values.size(); ++id)
    plan.values[id].offset = plan.values[static_cast<std::size_t>(plan.storage_of[id])].offset;
  return plan;
}

std::string MemoryPlan::describe(const Graph& graph) const {
  std::string text =
      fmt::format("arena {} bytes ({} without sharing)\n", arena_bytes, unshared_bytes);
  text += fmt::format("{:>12} {:>12} {:>6} {:>6}  {}\n", "offset", "bytes", "from", "to", "value");
  for (std::size_t id = 0; id < values.size(); ++id) {
    const Placement& value = values[id];
    if (value.bytes == 0) continue;
    text += fmt::format("{:>12} {:>12} {:>6} {:>6}  {}", value.offset, value.bytes,
                        value.first_node, value.last_node, graph.values[id].name);
    const auto storage = static_cast<std::size_t>(storage_of[id]);
    if (storage != id) text += fmt::format("  (in place of {})", graph.values[storage].name);
    text += '\n';
  }
  for (std::size_t index = 0; index < workspaces.size(); ++index)
    if (workspaces[index].bytes > 0)
      text += fmt::format("{:>12} {:>12} {:>6} {:>6}  {}.workspace of {}\n",
                          workspaces[index].offset, workspaces[index].bytes, index, index,
                          graph.nodes[index].place, name_of(graph.nodes[index].op));
  return text;
}

}  // namespace deepinfer
