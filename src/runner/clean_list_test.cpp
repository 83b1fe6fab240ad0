// Metadata that the graph computes itself: back in the state of capture before every replay, so
// that nothing of one step or size is taken for another's.

#include "model/step_inputs.h"
#include "runner/fake_backend_test.h"
#include "runner/input_metadata.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

class CleanList : public RunnerFixture {
 protected:
  FakeDevice device_;
};

TEST_F(CleanList, HoldsTheVisibleEntriesOfEveryRatio) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  std::vector<std::string> wanted;
  for (const int layer : model_.config().index_source_layer_ids) {
    const std::string name = step_inputs::visible(model_.config().ratio(layer));
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) wanted.push_back(name);
  }
  ASSERT_FALSE(wanted.empty());
  EXPECT_EQ(runner.input(runner.graph_for(1)).clean_list(), wanted);
}

TEST_F(CleanList, AStaleValueOfALargerSizeCannotReachASmallerOne) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);
  std::vector<int> ran;
  device_.on_run = [&](int rows) {
    ran.push_back(rows);
    InputMetadata& input = runner.device_input(runner.graph_for(rows));
    for (const std::string& name : input.clean_list())
      for (const std::int32_t value : input.i32(name))
        EXPECT_EQ(value, InputMetadata::kUnwritten) << name << " at size " << rows;
  };
  for (const int rows : {6, 1, 2, 6, 6, 1}) run_token(runner, 3, rows);
  EXPECT_EQ(ran, (std::vector<int>{6, 1, 2, 6, 6, 1}));
}

TEST_F(CleanList, IsResetWithInputOnTheDeviceToo) {
  GraphRunner runner(1, options(), true, fake_backend(device_));
  capture(runner);
  CapturedGraph& graph = runner.graph_for(1);
  InputMetadata& input = runner.device_input(graph);
  write_token(input, 3);
  for (const std::string& name : input.clean_list()) input.i32(name)[0] = 1000;
  device_.on_run = [&](int /*rows*/) {
    for (const std::string& name : input.clean_list()) EXPECT_EQ(input.i32(name)[0], -1);
  };
  runner.replay(graph);
}

TEST_F(CleanList, AGraphThatForgetsToWriteIsCaught) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  device_.writes_derived = false;
  EXPECT_NE(error_text([&] { capture(runner); }).find("did not write derived buffer 'visible."),
            std::string::npos);
  device_.writes_derived = true;
  capture(runner);
  run_token(runner, 3, 6);
  device_.writes_derived = false;
  EXPECT_NE(error_text([&] { run_token(runner, 3); }).find("did not write derived buffer"),
            std::string::npos);
}

TEST_F(CleanList, TheGraphComputesThemFromItsPositions) {
  GraphRunner runner(2, options());
  capture(runner);
  CapturedGraph& graph = runner.graph_for(6);
  const std::vector<std::int32_t> tokens = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int32_t> blocks = {0};
  const SequenceMetadata sequence{.tokens = tokens,
                                  .first_position = 3,
                                  .rows = 4,
                                  .slot = 0,
                                  .blocks = blocks,
                                  .wants_logits = true,
                                  .all_logits = false};
  prepare_({&sequence, 1}, runner.input(graph));
  runner.replay(graph);
  for (const int layer : model_.config().index_source_layer_ids) {
    const int ratio = model_.config().ratio(layer);
    const auto seen = runner.device_input(graph).i32(step_inputs::visible(ratio));
    for (int row = 0; row < 6; ++row)
      EXPECT_EQ(seen[static_cast<std::size_t>(row)], row < 4 ? (3 + row + 1) / ratio : 0)
          << "ratio " << ratio << ", row " << row;
  }
}

}  // namespace
}  // namespace deepinfer
