// What happens to a step that cannot be one graph, and what is counted. A compiler double refuses.

#include "backend/wrapped_backend_test.h"
#include "runner/fake_backend_test.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

class GraphFallback : public RunnerFixture {
 protected:
  Options with(GraphMode mode, bool fullgraph) const {
    Options o = options();
    o.graph_mode = mode;
    o.fullgraph = fullgraph;
    return o;
  }
  static GraphMode mode_of(const GraphRunner& runner, int rows) {
    for (const CaptureInfo& info : runner.captures())
      if (info.rows == rows) return info.mode;
    ADD_FAILURE() << "no size " << rows;
    return GraphMode::eager;
  }

  FakeDevice device_;
};

TEST_F(GraphFallback, WithFullgraphAStepThatCannotBeOneGraphIsAnErrorThatNamesIt) {
  device_.refused = {{2, GraphMode::whole}};
  GraphRunner runner(2, with(GraphMode::whole, true), false, fake_backend(device_));
  const std::string text = error_text([&] { capture(runner); });
  EXPECT_NE(text.find("[step of 2 rows] cannot be one graph: [fake compiler] cannot compile this, "
                      "--fullgraph false lets such a step run in smaller pieces"),
            std::string::npos)
      << text;
  EXPECT_TRUE(runner.graphs().empty());
}

TEST_F(GraphFallback, WithoutItFallsBackToRegionsAndSaysSoOnce) {
  device_.refused = {{2, GraphMode::whole}, {6, GraphMode::whole}};
  GraphRunner runner(2, with(GraphMode::whole, false), false, fake_backend(device_));
  capture(runner);
  EXPECT_EQ(mode_of(runner, 1), GraphMode::whole);
  EXPECT_EQ(mode_of(runner, 2), GraphMode::regions);
  EXPECT_EQ(mode_of(runner, 6), GraphMode::regions);
  EXPECT_EQ(runner.notes(),
            std::vector<std::string>{"steps of 6, 2 rows cannot be one graph and fall back to "
                                     "regions: [fake compiler] cannot compile this"});
  run_token(runner, 3, 1);
  run_token(runner, 3, 2);
  EXPECT_EQ(runner.graph_hits(), 2U);
  EXPECT_EQ(runner.eager_fallbacks(), 0U);
  EXPECT_EQ(runner.compiles(), 3U);
  runner.destroy();
  EXPECT_TRUE(runner.notes().empty());
}

TEST_F(GraphFallback, WhatCannotRunInRegionsEitherRunsEagerlyAndIsCounted) {
  device_.refused = {{0, GraphMode::regions}, {2, GraphMode::whole}};
  GraphRunner runner(2, with(GraphMode::whole, false), false, fake_backend(device_));
  capture(runner);
  EXPECT_EQ(mode_of(runner, 2), GraphMode::eager);
  EXPECT_EQ(runner.notes().size(), 2U);
  run_token(runner, 3, 1);
  run_token(runner, 3, 2);
  run_token(runner, 3, 2);
  EXPECT_EQ(runner.graph_hits(), 1U);
  EXPECT_EQ(runner.eager_fallbacks(), 2U);
  EXPECT_EQ(runner.compiles(), 2U);  // eager compiles nothing
}

TEST_F(GraphFallback, EagerAskedForIsNoFallback) {
  GraphRunner runner(1, with(GraphMode::eager, true), false, fake_backend(device_));
  capture(runner);
  run_token(runner, 3);
  EXPECT_EQ(runner.graph_hits(), 0U);
  EXPECT_EQ(runner.eager_fallbacks(), 0U);
  EXPECT_EQ(runner.compiles(), 0U);
  EXPECT_TRUE(runner.notes().empty());
}

TEST_F(GraphFallback, MoreWorkMemoryThanTheLimitIsNoGraphEither) {
  device_.work_bytes = {{GraphMode::whole, 1000}, {GraphMode::regions, 100}};
  GraphRunner strict(2, with(GraphMode::whole, true), false, fake_backend(device_));
  strict.limit_memory(5000);
  const std::string text = error_text([&] { capture(strict); });
  EXPECT_NE(text.find("[step of 6 rows] cannot be one graph: it works in 6000 bytes of memory, and "
                      "5000 are left"),
            std::string::npos)
      << text;
  strict.limit_memory(6000);
  EXPECT_NO_THROW(capture(strict));

  GraphRunner lenient(2, with(GraphMode::whole, false), false, fake_backend(device_));
  lenient.limit_memory(5000);
  capture(lenient);
  EXPECT_EQ(mode_of(lenient, 6), GraphMode::regions);
  EXPECT_EQ(mode_of(lenient, 2), GraphMode::whole);
}

std::set<std::pair<int, GraphMode>> in_no_mode(const std::set<int>& sizes) {
  std::set<std::pair<int, GraphMode>> refused;
  for (const int size : sizes)
    for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager})
      refused.insert({size, mode});
  return refused;
}

TEST_F(GraphFallback, E10_a_size_that_cannot_be_compiled_is_left_out_and_runs_at_the_next) {
  device_.refused = in_no_mode({1, 4});
  device_.refused.insert({5, GraphMode::whole});
  GraphRunner runner(5, with(GraphMode::whole, false), false, fake_backend(device_));
  std::vector<std::pair<int, int>> told;  // rows, runs_at
  capture(runner, {.size = [&](const CaptureInfo& info, int index, int count) {
            EXPECT_EQ(index, static_cast<int>(told.size()));
            EXPECT_EQ(count, 5);
            told.emplace_back(info.rows, info.runs_at);
          }});
  EXPECT_EQ(told, (std::vector<std::pair<int, int>>{{6, 0}, {5, 0}, {4, 5}, {2, 0}, {1, 2}}));
  EXPECT_EQ(runner.graphs(), (std::vector<int>{2, 5, 6}));
  EXPECT_EQ(runner.captures().size(), 3U);
  std::vector<std::pair<int, int>> left_out;
  for (const CaptureInfo& info : runner.left_out()) left_out.emplace_back(info.rows, info.runs_at);
  EXPECT_EQ(left_out, (std::vector<std::pair<int, int>>{{1, 2}, {4, 5}}));
  // The others are what they would be without it, and nothing is said of modes it was tried in.
  EXPECT_EQ(mode_of(runner, 2), GraphMode::whole);
  EXPECT_EQ(mode_of(runner, 5), GraphMode::regions);
  EXPECT_EQ(mode_of(runner, 6), GraphMode::whole);
  const std::string reason = ": [fake compiler] cannot compile this";
  EXPECT_EQ(runner.notes(),
            (std::vector<std::string>{
                "steps of 5 rows cannot be one graph and fall back to regions" + reason,
                "steps of 4 rows cannot be compiled and run at 5 rows" + reason,
                "steps of 1 rows cannot be compiled and run at 2 rows" + reason}));

  std::vector<int> ran;
  device_.on_run = [&](int rows) { ran.push_back(rows); };
  for (int rows = 1; rows <= 6; ++rows) run_token(runner, 3, rows);
  EXPECT_EQ(ran, (std::vector<int>{2, 2, 5, 5, 5, 6}));
  EXPECT_EQ(runner.replays(4), 0U);
  EXPECT_EQ(runner.graph_hits(), 6U);
  device_.on_run = {};
  device_.refused.clear();
  capture(runner);
  EXPECT_EQ(runner.graphs().size(), 5U);
  EXPECT_TRUE(runner.left_out().empty());
}

TEST_F(GraphFallback, E10_the_largest_size_has_nowhere_to_run_and_fails_the_start) {
  device_.refused = in_no_mode({6});
  GraphRunner runner(5, with(GraphMode::whole, false), false, fake_backend(device_));
  const std::string text = error_text([&] { capture(runner); });
  EXPECT_EQ(text, "[step of 6 rows] cannot be compiled: [fake compiler] cannot compile this");
  EXPECT_TRUE(runner.graphs().empty());
  EXPECT_TRUE(runner.left_out().empty());
}

TEST_F(GraphFallback, E10_with_fullgraph_no_size_is_left_out) {
  device_.refused = in_no_mode({2});
  for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager}) {
    GraphRunner runner(5, with(mode, true), false, fake_backend(device_));
    const std::string text = error_text([&] { capture(runner); });
    EXPECT_EQ(text.rfind("[step of 2 rows] cannot ", 0), 0U) << text;
    EXPECT_TRUE(runner.graphs().empty());
  }
}

TEST_F(GraphFallback, BadInputIsNoReasonToFallBack) {
  // A weight of the wrong size, say, is the caller's fault in every mode: said at once, as it is.
  device_.refused = {{6, GraphMode::whole}};
  device_.refusal = Error::Kind::bad_input;
  GraphRunner runner(1, with(GraphMode::whole, false), false, fake_backend(device_));
  EXPECT_EQ(error_text([&] { capture(runner); }), "[fake compiler] cannot compile this");
  EXPECT_TRUE(device_.compiled.empty());
}

/// The real backend, whose compiler refuses whole graphs.
class NoWholeGraphs : public WrappedBackend {
 public:
  using WrappedBackend::WrappedBackend;

  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override {
    if (mode == GraphMode::whole) throw Error::failed("compiler", "too large");
    return WrappedBackend::compile(std::move(graph), bindings, mode);
  }
};

TEST_F(GraphFallback, RegionsInPlaceOfARefusedGraphGiveTheSameBits) {
  const Options o = with(GraphMode::whole, false);
  GraphRunner whole(2, o);
  GraphRunner fallen(2, o, false, [](const Options& asked) -> std::unique_ptr<Backend> {
    return std::make_unique<NoWholeGraphs>(asked);
  });
  capture(whole);
  const auto row = run_token(whole, 7).logits(0);
  const std::vector<float> wanted(row.begin(), row.end());
  capture(fallen);
  for (const CaptureInfo& info : fallen.captures()) EXPECT_EQ(info.mode, GraphMode::regions);
  EXPECT_EQ(fallen.notes().size(), 1U);
  const auto got = run_token(fallen, 7).logits(0);
  EXPECT_EQ(std::vector<float>(got.begin(), got.end()), wanted);
}

}  // namespace
}  // namespace deepinfer
