// Fault B16: an op that reads arena bytes before they are written. The same steps with an arena
// full of NaN before each give the same bytes.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "runner/step_input.h"
#include "runner/step_watcher.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/poisoning_backend.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr int kRows = 24;

/// Looks at the step before through its output when a run has begun and no op has yet.
class PoisonWatch : public StepWatcher {
 public:
  void captured(std::shared_ptr<const ObservedCapture> /*capture*/) override {}
  void step_begins(int /*rows*/) override { first_ = true; }
  void run_begins() override {}
  void step_ends() override {}
  void op_begins(int /*node*/) override {
    if (first_ && before_) poisoned_ += std::isnan(before_->logits(0)[0]) ? 1 : 0;
    first_ = false;
  }

  /// Output of the latest step.
  void remember(const StepOutput& output) { before_ = output; }
  /// Steps that found the logits of the step before overwritten with NaN.
  int poisoned() const { return poisoned_; }

 private:
  std::optional<StepOutput> before_;
  bool first_ = false;
  int poisoned_ = 0;
};

struct Steps {
  std::vector<float> logits;  ///< of all rows of all steps, padding included
  int poisoned = 0;
};

Steps run_steps(const std::string& backend, BackendFactory make_backend) {
  Options options = test_options(backend);
  options.max_batch = 1;
  options.prefill_bucket = kRows;
  options.threads = 2;
  Runtime runtime(open_model(test_model("t41"), options.engram), options, std::move(make_backend));
  GraphRunner& runner = runtime.runner();
  CapturedGraph& graph = runner.graph_for(kRows);
  const PrepareInput prepare = make_prepare_input(runtime.model(), runtime.caches());
  PoisonWatch watch;
  runner.observe(&watch);
  StepScript script(runtime);
  const std::size_t sequence = script.open(random_tokens(95, 50));
  Steps steps;
  for (const int rows : {20, 1, 1, 24, 3, 1}) {  // never the same padding twice
    std::vector<SequenceMetadata> step = script.metadata({{sequence, rows}});
    step.front().all_logits = true;
    prepare(step, runner.input(graph));
    const StepOutput output = runner.replay(graph);
    for (int row = 0; row < kRows; ++row) {
      const auto logits = output.logits(row);
      steps.logits.insert(steps.logits.end(), logits.begin(), logits.end());
    }
    watch.remember(output);
    script.skip({sequence, rows});
  }
  runner.observe(nullptr);
  steps.poisoned = watch.poisoned();
  return steps;
}

class ArenaPoison : public testing::TestWithParam<std::string> {};

TEST_P(ArenaPoison, B16_bytes_left_in_the_arena_never_reach_an_output) {
  const Steps clean = run_steps(GetParam(), &make_backend);
  const Steps poisoned = run_steps(GetParam(), &make_poisoning_backend);
  EXPECT_EQ(clean.poisoned, 0);
  EXPECT_EQ(poisoned.poisoned, 5);  // the arena really is the steps' own
  EXPECT_TRUE(same_bits(clean.logits, poisoned.logits));
}

INSTANTIATE_TEST_SUITE_P(Backends, ArenaPoison, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
