#include "runner/retired_graphs.h"

#include "runner/fake_backend_test.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

class RetiredGraphsTest : public RunnerFixture {
 protected:
  FakeDevice device_;
};

TEST_F(RetiredGraphsTest, AHandleIsRefusedUntilItsSizesOldestNamesTheNewGraph) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  CapturedGraph* const one = &runner.graph_for(1);
  CapturedGraph* const six = &runner.graph_for(6);
  for (std::size_t i = 1; i < RetiredGraphs::kRemembered; ++i) {
    capture(runner);
    EXPECT_NE(error_text([&] { runner.replay(*one); }).find("graph of 1 rows has been destroyed"),
              std::string::npos);
    EXPECT_THROW(runner.input(*six), Error);
  }
  capture(runner);
  EXPECT_EQ(&runner.graph_for(1), one);
  EXPECT_EQ(&runner.graph_for(6), six);
  EXPECT_EQ(runner.input(*six).rows(), 6);
  EXPECT_NO_THROW(run_token(runner, 3));
}

TEST_F(RetiredGraphsTest, ACaptureThatFailsLosesNoHandle) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  CapturedGraph* const one = &runner.graph_for(1);
  for (std::size_t i = 1; i < RetiredGraphs::kRemembered; ++i) capture(runner);
  device_.refused = {{1, GraphMode::whole}};
  EXPECT_THROW(capture(runner), Error);  // the next in line for its handle
  EXPECT_THROW(runner.replay(*one), Error);
  device_.refused.clear();
  capture(runner);
  EXPECT_EQ(&runner.graph_for(1), one);
}

TEST_F(RetiredGraphsTest, ARetiredHandleKnowsItsRowsAndNothingElse) {
  GraphRunner runner(1, options(), false, fake_backend(device_));
  capture(runner);
  const CapturedGraph& six = runner.graph_for(6);
  runner.destroy();
  EXPECT_EQ(six.rows(), 6);
  EXPECT_NE(error_text([&] { six.inputs(); }).find("has been destroyed"), std::string::npos);
}

}  // namespace
}  // namespace deepinfer
