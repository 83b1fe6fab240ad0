// What a runner says of a backend that has a compiler of its own.

#include "runner/fake_backend_test.h"
#include "runner/runner_fixture_test.h"

namespace deepinfer {
namespace {

class CompileCountsTest : public RunnerFixture {
 protected:
  CompileCountsTest() { device_.own_compiler = true; }

  FakeDevice device_;
};

TEST_F(CompileCountsTest, ProgramsAreCountedPerSizeAndOverAllCaptures) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);  // sizes 1, 2 and 6
  EXPECT_EQ(runner.compiles(), 3U);
  EXPECT_EQ(runner.compile_loads(), 3U);
  EXPECT_EQ(runner.compile_retries(), 0U);
  for (const CaptureInfo& info : runner.captures()) {
    EXPECT_EQ(info.compiled, 1U);
    EXPECT_EQ(info.loaded, 1U);
  }
  run_token(runner, 7);
  EXPECT_EQ(runner.compiles(), 3U);
  capture(runner);
  EXPECT_EQ(runner.compiles(), 6U);
  runner.destroy();
  runner.destroy();
  EXPECT_EQ(runner.compiles(), 6U);
  EXPECT_EQ(runner.compile_loads(), 6U);
}

TEST_F(CompileCountsTest, ProgressTellsTheProgramsOfEachSize) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  std::string told;
  capture(runner, {.size = [&](const CaptureInfo& info, int /*index*/,
                               int /*count*/) { told += std::to_string(info.rows) + "; "; },
                   .programs =
                       [&](std::size_t done, std::size_t programs, int index, int count) {
                         EXPECT_EQ(programs, 2U);
                         EXPECT_EQ(count, 3);
                         told += std::to_string(index) + ":" + std::to_string(done) + " ";
                       }});
  EXPECT_EQ(told, "0:1 0:2 6; 1:1 1:2 2; 2:1 2:2 1; ");
}

struct Stopped {};

TEST_F(CompileCountsTest, WhatTheProgressThrowsEndsTheCapture) {
  GraphRunner runner(2, options(), false, fake_backend(device_));
  const auto stop = [](std::size_t, std::size_t, int, int) { throw Stopped(); };
  EXPECT_THROW(capture(runner, {.programs = stop}), Stopped);
  EXPECT_TRUE(runner.graphs().empty());
  capture(runner);
  EXPECT_EQ(runner.graphs().size(), 3U);
  EXPECT_EQ(runner.compiles(), 4U);  // that of the capture that was ended, too
}

TEST_F(CompileCountsTest, TheBackendsNotesArePassedOn) {
  device_.notes = {"a note"};
  GraphRunner runner(2, options(), false, fake_backend(device_));
  capture(runner);
  EXPECT_EQ(runner.notes(), std::vector<std::string>{"a note"});
}

}  // namespace
}  // namespace deepinfer
