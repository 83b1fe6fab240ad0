#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

#include "graph/graph_builder.h"
#include "graph/memory_plan_checks_test.h"

namespace deepinfer {
namespace {

std::size_t no_workspace(const Graph&, const Node&) { return 0; }

TEST(MemoryPlan, AChainOfInPlaceOpsUsesOneStorage) {
  GraphBuilder builder(4);
  const ValueId x = builder.metadata("x", DType::f32, {4, 16});
  const ValueId a = builder.add(Scale{}, {x}, "a");
  const ValueId b = builder.add(Scale{}, {a}, "b");
  const ValueId c = builder.add(Scale{}, {b}, "c");
  builder.output("c", c);
  const Graph graph = builder.finish();
  const MemoryPlan plan = plan_memory(graph, no_workspace);
  check_plan(graph, plan, no_workspace);
  EXPECT_EQ(plan.storage_of[static_cast<std::size_t>(b)], a);
  EXPECT_EQ(plan.storage_of[static_cast<std::size_t>(c)], a);
  EXPECT_EQ(plan.arena_bytes, 256U);
  EXPECT_EQ(plan.unshared_bytes, 768U);
}

TEST(MemoryPlan, AnOperandThatIsReadLaterOrIsAnOutputIsNotTakenOver) {
  GraphBuilder builder(4);
  const ValueId x = builder.metadata("x", DType::f32, {4, 16});
  const ValueId a = builder.add(Scale{}, {x}, "a");
  const ValueId b = builder.add(Scale{}, {a}, "b");  // a is read again below
  const ValueId c = builder.add(Scale{}, {a}, "c");
  const ValueId d = builder.add(Scale{}, {c}, "d");  // c is an output
  builder.output("b", b);
  builder.output("c", c);
  builder.output("d", d);
  const Graph graph = builder.finish();
  const MemoryPlan plan = plan_memory(graph, no_workspace);
  check_plan(graph, plan, no_workspace);
  EXPECT_EQ(plan.storage_of[static_cast<std::size_t>(b)], b);
  EXPECT_EQ(plan.storage_of[static_cast<std::size_t>(c)], a);  // a's last use
  EXPECT_EQ(plan.storage_of[static_cast<std::size_t>(d)], d);
}

TEST(MemoryPlan, GivenValuesTakeNoArena) {
  GraphBuilder builder(4);
  const ValueId x = builder.metadata("x", DType::f32, {4, 16});
  const ValueId a = builder.add(Scale{}, {x}, "a");
  builder.output("a", a);
  const Graph graph = builder.finish();
  const MemoryPlan plan = plan_memory(graph, no_workspace);
  EXPECT_EQ(plan.values[static_cast<std::size_t>(x)].bytes, 0U);
  EXPECT_EQ(plan.storage_of[static_cast<std::size_t>(a)], a);  // never the caller's buffer
}

TEST(MemoryPlan, AWorkspaceLivesForItsOpOnly) {
  GraphBuilder builder(1);
  const ValueId x = builder.metadata("x", DType::f32, {1, 16});
  const ValueId w = builder.weight("w", WeightFormat::fp8, {32, 16});
  const ValueId v = builder.weight("v", WeightFormat::fp8, {16, 32});
  const ValueId y = builder.add(Linear{}, {x, w}, "y");
  builder.output("z", builder.add(Linear{}, {y, v}, "z"));
  const Graph graph = builder.finish();
  const auto workspace = [](const Graph&, const Node&) -> std::size_t { return 1000; };
  const MemoryPlan plan = plan_memory(graph, workspace);
  check_plan(graph, plan, workspace);
  EXPECT_EQ(plan.workspaces[0].offset, plan.workspaces[1].offset);
  EXPECT_NE(plan.describe(graph).find(".workspace of linear"), std::string::npos);
  EXPECT_NE(plan.describe(graph).find("arena "), std::string::npos);
}

/// A chain with random branches, widths, outputs and workspaces.
Graph random_graph(std::mt19937_64& random) {
  GraphBuilder builder(1 + static_cast<int>(random() % 9));
  const std::int64_t rows = builder.rows();
  constexpr int kInputs = 3;
  const std::size_t ops = 1 + random() % 60;
  std::vector<ValueId> values;
  values.reserve(kInputs + ops);
  for (int i = 0; i < kInputs; ++i)
    values.push_back(builder.metadata("x" + std::to_string(i), DType::f32,
                                      {rows, 8 * (1 + static_cast<int>(random() % 9))}));
  for (std::size_t op = 0; op < ops; ++op) {
    const std::string name = "v" + std::to_string(op);
    const ValueId x = values[random() % 3 == 0 ? random() % values.size() : values.size() - 1];
    const std::int64_t width = builder.value(x).shape.back();
    ValueId result = -1;
    switch (random() % 3) {
      case 0:
        result = builder.add(Scale{}, {x}, name);
        break;
      case 1:
        result = builder.add(
            RmsNorm{},
            {x, builder.weight("n" + std::to_string(width), WeightFormat::plain, {width})}, name);
        break;
      default: {
        const std::int64_t out = 8 * (1 + static_cast<std::int64_t>(random() % 20));
        const std::string weight = "w" + std::to_string(width) + "." + std::to_string(out);
        result = builder.add(Linear{}, {x, builder.weight(weight, WeightFormat::fp8, {out, width})},
                             name);
      }
    }
    values.push_back(result);
    if (random() % 10 == 0) builder.output("o" + std::to_string(op), result);
  }
  builder.output("last", values.back());
  return builder.finish();
}

TEST(MemoryPlan, RandomGraphsNeverOverlapLiveValues) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    const Graph graph = random_graph(random);
    const auto workspace = [](const Graph& g, const Node& node) -> std::size_t {
      const auto id = static_cast<std::size_t>(node.results.front());
      return id % 3 == 0 ? 0 : id * 40 + static_cast<std::size_t>(g.rows);
    };
    const MemoryPlan plan = plan_memory(graph, workspace);
    check_plan(graph, plan, workspace);
    EXPECT_LE(plan.arena_bytes, plan.unshared_bytes);
    if (HasFatalFailure()) FAIL() << "graph " << i;
  }
}

}  // namespace
}  // namespace deepinfer
