#include "graph/memory_plan_checks_test.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace deepinfer {
namespace {

/// A run of bytes and the nodes during which it must not be disturbed; worked out anew from the
/// graph, not from the plan's own lives.
struct Life {
  std::string name;
  std::size_t begin, end;
  int first, last;
  ValueId storage;
};

int last_use(const Graph& graph, ValueId id, int made) {
  int last = made;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node)
    for (const ValueId operand : graph.nodes[node].operands)
      if (operand == id) last = std::max(last, static_cast<int>(node));
  for (const GraphOutput& output : graph.outputs)
    if (output.value == id) last = static_cast<int>(graph.nodes.size());
  return last;
}

}  // namespace

void check_plan(const Graph& graph, const MemoryPlan& plan, const WorkspaceBytes& workspace_bytes) {
  ASSERT_EQ(plan.values.size(), graph.values.size());
  ASSERT_EQ(plan.workspaces.size(), graph.nodes.size());
  std::vector<Life> lives;
  std::size_t unshared = 0;
  std::size_t top = 0;
  const auto add = [&](Life life, std::size_t placed, std::size_t needed) {
    ASSERT_GE(placed, needed) << life.name << " got too few bytes";
    ASSERT_LT(placed, needed + MemoryPlan::kAlignment) << life.name;
    ASSERT_EQ(life.begin % MemoryPlan::kAlignment, 0U) << life.name;
    ASSERT_LE(life.end, plan.arena_bytes) << life.name;
    unshared += placed;
    top = std::max(top, life.end);
    lives.push_back(std::move(life));
  };
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    const int at = static_cast<int>(node);
    for (const ValueId id : graph.nodes[node].results) {
      const Value& value = graph.value(id);
      const Placement& place = plan.values[static_cast<std::size_t>(id)];
      if (value.kind != ValueKind::intermediate) {
        ASSERT_EQ(place.bytes, 0U) << value.name << " needs no arena";
        continue;
      }
      add({value.name, place.offset, place.offset + place.bytes, at, last_use(graph, id, at),
           plan.storage_of[static_cast<std::size_t>(id)]},
          place.bytes, value.bytes());
    }
    const std::size_t wanted = workspace_bytes(graph, graph.nodes[node]);
    const Placement& place = plan.workspaces[node];
    if (wanted == 0) {
      ASSERT_EQ(place.bytes, 0U);
    } else {
      add({"workspace", place.offset, place.offset + place.bytes, at, at, -1}, place.bytes, wanted);
    }
  }
  EXPECT_EQ(plan.unshared_bytes, unshared);
  EXPECT_EQ(plan.arena_bytes, top) << "bytes that nothing uses";

  for (std::size_t a = 0; a < lives.size(); ++a) {
    for (std::size_t b = a + 1; b < lives.size(); ++b) {
      const Life& one = lives[a];
      const Life& two = lives[b];
      const bool bytes = one.begin < two.end && two.begin < one.end;
      const bool time = one.first <= two.last && two.first <= one.last;
      if (!bytes || !time) continue;
      // The only meeting allowed: a result over its own operand, at the op that reads it last.
      const bool in_place = one.storage >= 0 && one.storage == two.storage &&
                            one.last == two.first && one.begin == two.begin;
      ASSERT_TRUE(in_place) << one.name << " and " << two.name << " share bytes at node "
                            << std::max(one.first, two.first);
      const Node& node = graph.nodes[static_cast<std::size_t>(two.first)];
      const int operand = in_place_operand(node.op);
      ASSERT_GE(operand, 0) << two.name;
      ASSERT_EQ(graph.value(node.operands[static_cast<std::size_t>(operand)]).name, one.name);
      ASSERT_EQ(std::count(node.operands.begin(), node.operands.end(),
                           node.operands[static_cast<std::size_t>(operand)]),
                1)
          << one.name << " is also another operand";
    }
  }
}

}  // namespace deepinfer
