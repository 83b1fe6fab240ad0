// Fault E10: a size that cannot be compiled removes other sizes, or is used anyway.

#include <gtest/gtest.h>

#include "backend/wrapped_backend_test.h"
#include "cli/start_table.h"
#include "deepinfer/error.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

/// The real backend, whose compiler fails on one size in every mode.
class OneSizeRefused : public WrappedBackend {
 public:
  OneSizeRefused(const Options& options, int rows) : WrappedBackend(options), rows_(rows) {}

  std::unique_ptr<Executable> compile(std::shared_ptr<const Graph> graph, const Bindings& bindings,
                                      GraphMode mode) override {
    if (graph->rows == rows_) throw Error::failed("compiler", "exit code 70");
    return WrappedBackend::compile(std::move(graph), bindings, mode);
  }

 private:
  int rows_;
};

BackendFactory without_size(int rows) {
  return [rows](const Options& options) -> std::unique_ptr<Backend> {
    return std::make_unique<OneSizeRefused>(options, rows);
  };
}

class Sizes : public testing::TestWithParam<GraphMode> {
 protected:
  Options options() const {
    Options options = test_options("cpu");
    options.graph_mode = GetParam();
    options.fullgraph = false;
    options.max_batch = 32;
    options.prefill_bucket = 48;
    options.max_context = 64;
    return options;
  }
  std::unique_ptr<Runtime> open(const BackendFactory& factory) const {
    const Options asked = options();
    return std::make_unique<Runtime>(open_model(test_model("t41"), asked.engram), asked, factory);
  }
};

/// Two decode steps of `live` sequences of different lengths.
std::vector<std::vector<float>> decode(Runtime& runtime, int live) {
  StepScript script(runtime);
  std::vector<StepScript::Part> parts;
  for (int i = 0; i < live; ++i) {
    const auto before = 1 + static_cast<std::size_t>(i) % 11;
    const std::size_t sequence =
        script.open(random_tokens(static_cast<std::uint64_t>(i), before + 2));
    script.step_at_size(runtime.options().prefill_bucket, {{sequence, static_cast<int>(before)}});
    parts.push_back({sequence, 1});
  }
  auto logits = script.step(parts);
  for (auto& row : script.step(parts)) logits.push_back(std::move(row));
  return logits;
}

TEST_P(Sizes, E10_rows_of_a_size_that_cannot_be_compiled_run_at_the_next_with_equal_answers) {
  const auto all = open({});
  const auto without = open(without_size(16));
  GraphRunner& runner = without->runner();
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2, 4, 8, 32, 48}));
  for (const CaptureInfo& info : runner.captures()) EXPECT_EQ(info.mode, GetParam());
  for (const int live : {1, 8, 9, 13, 16, 17}) {
    const std::uint64_t before = runner.replays(32);
    const auto expected = decode(*all, live);
    const auto got = decode(*without, live);
    EXPECT_EQ(runner.replays(32) - before, live > 8 ? 2U : 0U) << live << " live rows";
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_bits(expected[i], got[i])) << live << " live rows, row " << i;
  }
  EXPECT_GT(all->runner().replays(16), 0U);
  EXPECT_EQ(runner.replays(16), 0U);
}

TEST_P(Sizes, E10_the_start_table_says_which_size_is_not_there) {
  const auto runtime = open(without_size(16));
  const std::string table = cli::start_table({.fullgraph = false,
                                              .captures = runtime->runner().captures(),
                                              .left_out = runtime->runner().left_out(),
                                              .backend = {},
                                              .memory = runtime->memory()});
  const std::string line =
      "\n    16  decode  cannot be compiled: runs at 32 rows\n    32  decode  ";
  EXPECT_NE(table.find(line), std::string::npos) << table;
  EXPECT_NE(table.find("; sizes 1, 2, 4, 8, 32, 48\n"), std::string::npos) << table;
  EXPECT_EQ(runtime->runner().notes(),
            std::vector<std::string>{"steps of 16 rows cannot be compiled and run at 32 rows: "
                                     "[compiler] exit code 70"});
}

TEST_P(Sizes, E10_without_the_largest_size_the_start_fails) {
  const std::string text = error_text([&] { open(without_size(48)); });
  EXPECT_EQ(text.rfind("[step of 48 rows] cannot be compiled: [compiler] exit code 70", 0), 0U)
      << text;
}

INSTANTIATE_TEST_SUITE_P(Modes, Sizes, testing::Values(GraphMode::whole, GraphMode::regions),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace deepinfer
