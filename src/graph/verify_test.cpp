#include "graph/verify.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"
#include "graph/graph_builder.h"

namespace deepinfer {
namespace {

/// x -> rms_norm -> scale, with the scale as output.
Graph small_graph() {
  GraphBuilder graph(2);
  const ValueId x = graph.metadata("x", DType::f32, {2, 8});
  const ValueId w = graph.weight("w", WeightFormat::plain, {8});
  const ValueId y = graph.add(RmsNorm{.eps = 1e-6F}, {x, w}, "y");
  graph.output("z", graph.add(Scale{.factor = 2}, {y}, "z"));
  return graph.finish();
}

std::string verify_error(const Graph& graph) {
  try {
    verify(graph);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_refused(const Graph& graph, const std::string& part) {
  const std::string text = verify_error(graph);
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Verify, AcceptsWhatTheBuilderMakes) { EXPECT_EQ(verify_error(small_graph()), "no error"); }

TEST(Verify, OpsInTheWrongOrder) {
  Graph graph = small_graph();
  std::swap(graph.nodes[0], graph.nodes[1]);
  expect_refused(graph, "reads 'y' before it is made");
}

TEST(Verify, AValueThatNothingMakes) {
  Graph graph = small_graph();
  graph.nodes.erase(graph.nodes.begin());
  expect_refused(graph, "reads 'y' before it is made");
}

TEST(Verify, AValueMadeTwice) {
  Graph graph = small_graph();
  graph.nodes.push_back(graph.nodes[1]);
  expect_refused(graph, "makes 'z' a second time");
}

TEST(Verify, AGivenValueMadeByAnOp) {
  Graph graph = small_graph();
  graph.nodes[0].results = {0};
  expect_refused(graph, "makes 'x' a second time");
}

TEST(Verify, ResultIdsOutOfRange) {
  for (const ValueId id : {-1, 1000}) {
    Graph graph = small_graph();
    graph.nodes[1].results = {id};
    expect_refused(graph, "makes a value that does not exist");
  }
}

TEST(Verify, OperandIdsOutOfRange) {
  for (const ValueId id : {-7, 1000}) {
    Graph graph = small_graph();
    graph.nodes[1].operands = {id};
    expect_refused(graph, "operand 'x' does not exist");
  }
}

TEST(Verify, WrongNumbersOfOperandsAndResults) {
  Graph graph = small_graph();
  graph.nodes[0].operands.pop_back();
  expect_refused(graph, "has the wrong number of operands, expected 2, got 1");
  graph = small_graph();
  graph.nodes[1].results.clear();
  expect_refused(graph, "has the wrong number of results, expected 1, got 0");
}

TEST(Verify, ResultsOfAnotherTypeThanTheOpInfers) {
  Graph graph = small_graph();
  graph.values[2].shape = {2, 9};
  expect_refused(graph, "result 'y' differs from what the op infers, expected f32[2, 8]");
  graph = small_graph();
  graph.values[3].dtype = DType::i32;
  expect_refused(graph, "result 'z' differs from what the op infers");
}

TEST(Verify, OutputsThatAreNotResults) {
  for (const ValueId id : {0, 1, -1, 55}) {
    Graph graph = small_graph();
    graph.outputs[0].value = id;
    expect_refused(graph, "output 'z' is not the result of an op");
  }
}

TEST(Verify, WritesToSomethingThatIsNoView) {
  GraphBuilder builder(2);
  const ValueId root = builder.root("state_buffer", 8 * 66);
  const ViewRecipe recipe{.root = CacheRoot::state,
                          .offset = 0,
                          .row_bytes = 8 * 66,
                          .shape = {1, 8, 66},
                          .dtype = DType::u8};
  const ValueId view = builder.add(CacheView{.recipe = recipe}, {root}, "swa_cache");
  const ValueId kv = builder.metadata("kv", DType::f32, {2, 64});
  const ValueId slots = builder.metadata("slots", DType::i32, {2});
  const ValueId positions = builder.metadata("positions", DType::i32, {2});
  builder.add(WindowWrite{}, {kv, view, slots, positions}, "");
  Graph graph = builder.finish();
  graph.nodes[1].operands[1] = root;
  expect_refused(graph, "operand 'swa_cache' (state_buffer) is of the wrong kind");
}

/// positions -> visible_entries -> seen (derived) -> a second reader of the same type.
Graph derived_graph() {
  GraphBuilder builder(2);
  const ValueId positions = builder.metadata("positions", DType::i32, {2});
  const ValueId seen = builder.derived("seen", DType::i32, {2});
  const ValueId other = builder.derived("other", DType::i32, {2});
  builder.add(VisibleEntries{.ratio = 2}, {positions, seen}, "");
  builder.add(VisibleEntries{.ratio = 1}, {seen, other}, "");
  return builder.finish();
}

TEST(Verify, DerivedMetadataIsWrittenBeforeItIsRead) {
  Graph graph = derived_graph();
  EXPECT_NO_THROW(verify(graph));
  std::swap(graph.nodes[0], graph.nodes[1]);
  expect_refused(graph, "reads 'seen' before it is made");
}

TEST(Verify, DerivedMetadataThatNobodyWritesCannotBeRead) {
  Graph graph = derived_graph();
  graph.nodes.erase(graph.nodes.begin());
  expect_refused(graph, "reads 'seen' before it is made");
}

TEST(Verify, DerivedMetadataIsWrittenOnce) {
  Graph graph = derived_graph();
  graph.nodes.push_back(graph.nodes.front());
  expect_refused(graph, "writes 'seen' a second time");
}

TEST(Verify, OtherMetadataIsNeverWritten) {
  Graph graph = derived_graph();
  graph.values[1].derived = false;
  expect_refused(graph, "writes 'seen', expected a cache view or derived metadata");
}

}  // namespace
}  // namespace deepinfer
