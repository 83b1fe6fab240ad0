#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "graph/graph_builder.h"

namespace deepinfer {
namespace {

std::size_t no_workspace(const Graph& /*graph*/, const Node& /*node*/) { return 0; }

/// A block of the arena that must not be shared while it lives.
struct Block {
  std::string name;
  Placement placement;
};

/// Everything the plan placed, one block per storage.
std::vector<Block> blocks_of(const Graph& graph, const MemoryPlan& plan) {
  std::vector<Block> blocks;
  for (std::size_t id = 0; id < plan.values.size(); ++id)
    if (plan.values[id].bytes > 0 && plan.storage_of[id] == static_cast<ValueId>(id))
      blocks.push_back({graph.values[id].name, plan.values[id]});
  for (std::size_t node = 0; node < plan.workspaces.size(); ++node)
    if (plan.workspaces[node].bytes > 0)
      blocks.push_back({"workspace " + std::to_string(node), plan.workspaces[node]});
  return blocks;
}

void expect_sound(const Graph& graph, const MemoryPlan& plan) {
  const std::vector<Block> blocks = blocks_of(graph, plan);
  std::size_t end = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Placement& a = blocks[i].placement;
    EXPECT_EQ(a.offset % MemoryPlan::kAlignment, 0U) << blocks[i].name;
    end = std::max(end, a.offset + a.bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const Placement& b = blocks[j].placement;
      const bool live_together = a.first_node <= b.last_node && b.first_node <= a.last_node;
      const bool share_bytes = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      EXPECT_FALSE(live_together && share_bytes) << blocks[i].name << " and " << blocks[j].name;
    }
  }
  EXPECT_EQ(end, plan.arena_bytes);  // every byte accounted for, none beyond
}

/// A chain of `links` norms (in-place ops) and linears (not), with extra readers of earlier values.
Graph random_graph(std::mt19937& random, int links) {
  GraphBuilder builder(3);
  std::vector<ValueId> values = {builder.metadata("x", DType::f32, {3, 64})};
  for (int link = 0; link < links; ++link) {
    const ValueId source = values[random() % values.size()];
    const std::int64_t width = builder.value(source).shape[1];
    if (random() % 2 == 0) {
      const ValueId weight =
          builder.weight("n" + std::to_string(width), WeightFormat::plain, {width});
      values.push_back(builder.add(RmsNorm{}, {source, weight}, "norm"));
    } else {
      const std::int64_t out = 32 * static_cast<std::int64_t>(1 + random() % 4);
      const ValueId weight = builder.weight("w" + std::to_string(width) + "." + std::to_string(out),
                                            WeightFormat::plain, {out, width});
      values.push_back(builder.add(Linear{}, {source, weight}, "linear"));
    }
  }
  builder.output("last", values.back());
  return builder.finish();
}

TEST(MemoryPlan, NoTwoLiveValuesShareAByte) {
  std::mt19937 random(20);
  for (int round = 0; round < 200; ++round) {
    const Graph graph = random_graph(random, 1 + static_cast<int>(random() % 30));
    const MemoryPlan plan = plan_memory(graph, [&](const Graph&, const Node& node) {
      return std::holds_alternative<Linear>(node.op) ? std::size_t{100} : std::size_t{0};
    });
    expect_sound(graph, plan);
    EXPECT_LE(plan.arena_bytes, plan.unshared_bytes);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

Graph chain(bool read_again) {
  GraphBuilder builder(1);
  const ValueId x = builder.metadata("x", DType::f32, {1, 64});
  const ValueId norm = builder.weight("n", WeightFormat::plain, {64});
  const ValueId square = builder.weight("w", WeightFormat::plain, {64, 64});
  const ValueId a = builder.add(Linear{}, {x, square}, "a");
  const ValueId b = builder.add(RmsNorm{}, {a, norm}, "b");
  const ValueId c = builder.add(RmsNorm{}, {b, norm}, "c");
  if (read_again) builder.output("again", builder.add(Linear{}, {a, square}, "again"));
  builder.output("c", c);
  return builder.finish();
}

TEST(MemoryPlan, AnInPlaceOpTakesOverAnOperandThatDies) {
  const Graph graph = chain(false);
  const MemoryPlan plan = plan_memory(graph, no_workspace);
  EXPECT_EQ(plan.arena_bytes, 64 * sizeof(float));
  EXPECT_EQ(plan.unshared_bytes, 3 * 64 * sizeof(float));
}

TEST(MemoryPlan, AnOperandThatIsReadAgainKeepsItsBytes) {
  const Graph graph = chain(true);
  const MemoryPlan plan = plan_memory(graph, no_workspace);
  expect_sound(graph, plan);
  EXPECT_GE(plan.arena_bytes, 2 * 64 * sizeof(float));
}

TEST(MemoryPlan, OutputsLiveToTheEnd) {
  GraphBuilder builder(1);
  const ValueId x = builder.metadata("x", DType::f32, {1, 64});
  const ValueId square = builder.weight("w", WeightFormat::plain, {64, 64});
  const ValueId first = builder.add(Linear{}, {x, square}, "first");
  builder.output("first", first);
  builder.output("second", builder.add(Linear{}, {x, square}, "second"));
  const Graph graph = builder.finish();
  EXPECT_EQ(plan_memory(graph, no_workspace).arena_bytes, 2 * 64 * sizeof(float));
}

TEST(MemoryPlan, DescribesEveryPlacedValue) {
  const Graph graph = chain(false);
  const std::string text = plan_memory(graph, no_workspace).describe(graph);
  EXPECT_NE(text.find("arena 256 bytes (768 without sharing)"), std::string::npos) << text;
  EXPECT_NE(text.find("b  (in place of a)"), std::string::npos) << text;
}

}  // namespace
}  // namespace deepinfer
