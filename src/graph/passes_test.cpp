#include "graph/passes.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"
#include "graph/graph_builder.h"
#include "graph/printer.h"

namespace deepinfer {
namespace {

/// One cache column viewed twice, and two linears of one x.
Graph built() {
  GraphBuilder graph(2);
  const ValueId x = graph.metadata("x", DType::f32, {2, 64});
  const ValueId slots = graph.metadata("slots", DType::i32, {2});
  const ValueId root = graph.root("state_buffer", 3 * 528);
  const CacheView view{.recipe = {.root = CacheRoot::state,
                                  .offset = 0,
                                  .row_bytes = 528,
                                  .shape = {3, 8, 66},
                                  .dtype = DType::u8}};
  for (const char* name : {"a", "b"}) {
    const ValueId y =
        graph.add(Linear{}, {x, graph.weight(name, WeightFormat::fp8, {64, 64})}, name);
    graph.add(WindowWrite{}, {y, graph.add(view, {root}, "view"), slots, slots}, "");
    graph.output(name, y);
  }
  return graph.finish();
}

TEST(Passes, RunInOrderUpToTheLastThatIsAskedFor) {
  const Graph graph = built();
  EXPECT_EQ(to_text(run_passes(graph, "verify").graph), to_text(graph));
  EXPECT_EQ(run_passes(graph, "canonicalise").graph.nodes.size(), 5U);
  const PassResult fused = run_passes(graph, "fuse");
  EXPECT_EQ(fused.graph.nodes.size(), 4U);
  const PassResult all = run_passes(graph);
  EXPECT_EQ(to_text(all.graph), to_text(fused.graph));
  ASSERT_EQ(all.reports.size(), kPassNames.size());
  const std::vector<std::size_t> ops = {6, 6, 5, 4, 4};
  for (std::size_t pass = 0; pass < kPassNames.size(); ++pass) {
    EXPECT_EQ(all.reports[pass].name, kPassNames[pass]);
    EXPECT_EQ(all.reports[pass].ops_before, ops[pass]);
    EXPECT_EQ(all.reports[pass].ops_after, ops[pass + 1]);
  }
}

TEST(Passes, EagerRunsTheGraphAsItWasBuilt) {
  const Graph graph = built();
  EXPECT_EQ(to_text(graph_for(GraphMode::eager, graph)), to_text(graph));
  EXPECT_EQ(to_text(graph_for(GraphMode::whole, graph)), to_text(run_passes(graph).graph));
}

TEST(Passes, AMalformedGraphIsRefusedByTheFirst) {
  Graph graph = built();
  graph.nodes.erase(graph.nodes.begin());
  EXPECT_THROW(run_passes(graph, "verify"), Error);
  EXPECT_THROW(run_passes(graph), Error);
}

TEST(Passes, AnUnknownPassIsRefusedByName) {
  try {
    run_passes(built(), "lunch");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[graph passes] there is no such pass, expected verify, canonicalise, fuse, plan, "
                 "got lunch");
  }
}

}  // namespace
}  // namespace deepinfer
