// The contract of capture, replay and destroy: what is refused, and that inputs stay where they
// were captured. Faults A8, A9, A25 (the runner's part) and E6.

#include <sys/mman.h>

#include "model/step_inputs.h"
#include "runner/captured_graph.h"
#include "runner/fake_backend_test.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

class RunnerContract : public RunnerFixture {
 protected:
  /// Every use of a graph that is not (or no longer) captured says so.
  void expect_refused(GraphRunner& runner, CapturedGraph& graph, const std::string& part) {
    for (const std::string& text :
         {error_text([&] { runner.replay(graph); }), error_text([&] { runner.input(graph); }),
          error_text([&] { runner.device_input(graph); })})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  FakeDevice device_;
};

TEST_F(RunnerContract, AGraphThatWasDestroyedIsRefusedByEveryCall) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  CapturedGraph& one = runner.graph_for(1);
  CapturedGraph& six = runner.graph_for(6);
  runner.destroy();
  expect_refused(runner, one, "the graph of 1 rows has been destroyed");
  runner.destroy();
  expect_refused(runner, six, "the graph of 6 rows has been destroyed");
  EXPECT_NE(error_text([&] { runner.graph_for(1); }).find("expected a captured graph"),
            std::string::npos);
}

TEST_F(RunnerContract, ASecondCaptureDestroysTheFirstBeforeItBuilds) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);
  std::vector<CapturedGraph*> first;
  for (const int size : runner.graphs()) first.push_back(&runner.graph_for(size));
  const StepOutput output = run_token(runner, 3);
  capture(runner, {.size = [&](const CaptureInfo& /*done*/, int /*index*/, int /*count*/) {
            EXPECT_TRUE(
                runner.graphs().empty());  // nothing of the first is left while the second is made
            for (CapturedGraph* graph : first) EXPECT_THROW(runner.replay(*graph), Error);
          }});
  for (CapturedGraph* graph : first) expect_refused(runner, *graph, "has been destroyed");
  EXPECT_THROW(output.logits(0), Error);
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2, 6}));
  EXPECT_NO_THROW(run_token(runner, 3));
}

TEST_F(RunnerContract, ACaptureThatFailsLeavesNothingAndCanBeRepeated) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);
  CapturedGraph& first = runner.graph_for(2);
  device_.refused = {{1, GraphMode::whole}};
  EXPECT_THROW(capture(runner), Error);
  EXPECT_TRUE(runner.graphs().empty());
  EXPECT_TRUE(runner.captures().empty());
  expect_refused(runner, first, "has been destroyed");
  device_.refused.clear();
  capture(runner);
  EXPECT_EQ(runner.graphs().size(), 3U);
}

TEST_F(RunnerContract, AGraphOfAnotherRunnerIsRefused) {
  GraphRunner one(1, options(), false, fake_backend(device_));
  GraphRunner two(1, options(), false, fake_backend(device_));
  capture(one);
  capture(two);
  expect_refused(one, two.graph_for(1), "the graph was captured by another runner");
}

TEST_F(RunnerContract, A8_every_graph_input_is_recorded_at_capture_and_stays) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);
  // All that the backend bound is recorded: no input can move unseen.
  std::vector<std::string> recorded;
  for (const GraphInputs::Input& input : runner.graph_for(1).inputs().inputs())
    recorded.push_back(input.name);
  std::vector<std::string> bound = device_.bound;
  std::sort(recorded.begin(), recorded.end());
  std::sort(bound.begin(), bound.end());
  EXPECT_EQ(recorded, bound);
  for (int i = 0; i < 100; ++i)
    for (const int size : runner.graphs()) {
      CapturedGraph& graph = runner.graph_for(size);
      write_token(runner.input(graph), i % 500);
      runner.replay(graph);
      for (const GraphInputs::Input& input : graph.inputs().inputs())
        if (runner.device_input(graph).has(input.name)) {
          ASSERT_EQ(input.place.address, runner.device_input(graph).raw(input.name).data());
        }
    }
}

TEST_F(RunnerContract, A8_an_input_that_moved_is_refused_by_name) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  run_token(runner, 3);
  // Other caches in the place of those captured; their memory cannot return to the old address.
  std::byte* const old_address = caches_->root(CacheRoot::kv);
  caches_.reset();
  void* const guard =
      mmap(old_address, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(guard, old_address);
  caches_.emplace(CacheLayout(model_.config(), geometry()));
  ASSERT_NE(caches_->root(CacheRoot::kv), old_address);
  const std::string text = error_text([&] { run_token(runner, 3); });
  EXPECT_NE(text.find("[graph input kv_buffer] lies in another allocation than at capture"),
            std::string::npos)
      << text;
  munmap(guard, 1);
  capture(runner);
  EXPECT_NO_THROW(run_token(runner, 3));
}

TEST_F(RunnerContract, E6_new_memory_at_an_old_address_is_not_the_old_memory) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  for (int attempt = 0; attempt < 4; ++attempt) {  // the address returns at once, or nearly
    const std::uint64_t before = caches_->storage_id();
    caches_.reset();
    caches_.emplace(CacheLayout(model_.config(), geometry()));
    ASSERT_NE(caches_->storage_id(), before);
    const std::string text = error_text([&] { run_token(runner, 3); });
    EXPECT_NE(text.find("another allocation"), std::string::npos) << text;
  }
}

TEST_F(RunnerContract, A9_a_size_looks_up_its_own_buffers_and_no_other) {
  GraphRunner runner(5, options(), false, fake_backend(device_));
  std::vector<int> ran;
  device_.on_run = [&](int rows) { ran.push_back(rows); };
  capture(runner);
  ran.clear();
  const std::vector<int> sizes = {1, 2, 4, 5, 6};
  ASSERT_EQ(runner.graphs(), sizes);
  for (int rows = 1; rows <= 6; ++rows) {
    CapturedGraph& graph = runner.graph_for(rows);
    const int size = *std::lower_bound(sizes.begin(), sizes.end(), rows);
    EXPECT_EQ(graph.rows(), size);
    EXPECT_EQ(runner.input(graph).rows(), size);
    EXPECT_EQ(runner.device_input(graph).rows(), size);
    EXPECT_EQ(runner.input(graph).i32(step_inputs::kSlots).size(), static_cast<std::size_t>(size));
    runner.replay(graph);
    EXPECT_EQ(ran.back(), size);
  }
  for (const int never : {0, -1, 7, 1 << 20})
    EXPECT_NE(error_text([&] { runner.graph_for(never); }).find("no captured graph holds the rows"),
              std::string::npos)
        << never;
}

TEST_F(RunnerContract, A25_nothing_can_be_run_before_every_size_has_run_once) {
  GraphRunner runner(4, options(), false, fake_backend(device_));
  std::vector<int> ran;
  device_.on_run = [&](int rows) { ran.push_back(rows); };
  capture(runner, {.size = [&](const CaptureInfo& done, int index, int /*count*/) {
            // One run more per size, and still nothing to look up.
            EXPECT_EQ(ran.size(), static_cast<std::size_t>(index) + 1);
            EXPECT_EQ(ran.back(), done.rows);
            EXPECT_TRUE(runner.graphs().empty());
            EXPECT_NE(error_text([&] { runner.graph_for(done.rows); }).find("no captured graph"),
                      std::string::npos);
          }});
  EXPECT_EQ(ran, (std::vector<int>{6, 4, 2, 1}));
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2, 4, 6}));
}

}  // namespace
}  // namespace deepinfer
