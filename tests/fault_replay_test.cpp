// Faults A5, A7 to A10, A16 and C2: replays of captured sizes, one after the other, against eager
// mode and against running alone.

#include <gtest/gtest.h>

#include <map>

#include "deepinfer/error.h"
#include "model/step_inputs.h"
#include "runner/input_metadata.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class Replay : public testing::TestWithParam<std::string> {
 protected:
  Options options(GraphMode mode = GraphMode::whole) const {
    Options options = test_options(GetParam());
    options.graph_mode = mode;
    options.max_batch = 8;
    options.prefill_bucket = 16;
    options.block_tokens = 8;
    return options;
  }
  std::unique_ptr<Runtime> eager() const { return open_runtime("t41", options(GraphMode::eager)); }
  std::unique_ptr<Runtime> whole() const { return open_runtime("t41", options()); }
};

/// Decodes in batches of the given sizes, different sequences in turn; every logit must be what the
/// sequence gives alone.
void run_batches(Runtime& runtime, Runtime& judge, const std::vector<int>& sizes) {
  StepScript script(runtime);
  for (std::size_t i = 0; i < 8; ++i) script.open(random_tokens(50 + i, 3 + i + sizes.size()));
  for (std::size_t i = 0; i < 8; ++i) script.step({{i, 2 + static_cast<int>(i)}});
  std::size_t next = 0;
  for (const int size : sizes) {
    std::vector<StepScript::Part> parts;
    parts.reserve(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) parts.push_back({(next + static_cast<std::size_t>(i)) % 8, 1});
    next += static_cast<std::size_t>(size) + 1;
    const auto logits = script.step(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::vector<std::int32_t>& tokens = script.tokens(parts[i].sequence);
      const std::size_t length = tokens.size() - script.left(parts[i].sequence);
      EXPECT_TRUE(same_bits(logits[i], last_logits(judge, {tokens.data(), length})))
          << "batch of " << size << ", row " << i;
    }
  }
}

TEST_P(Replay, A5_smaller_batches_after_larger_ones_see_nothing_of_them) {
  const auto runtime = whole();
  run_batches(*runtime, *eager(), {8, 3, 8, 1, 5});
}

TEST_P(Replay, A5_a_slot_taken_over_uses_its_new_sequences_blocks) {
  const auto runtime = whole();
  const auto judge = eager();
  StepScript script(*runtime);
  // Slot 1 gets blocks 2 to 4, then, in its second life, 3 to 5 beside a longer neighbour.
  script.open(random_tokens(40, 16));
  script.open(random_tokens(41, 24));
  script.step({{0, 8}, {1, 8}});
  script.close(0);
  script.close(1);
  script.open(random_tokens(42, 24));
  script.open(random_tokens(43, 24));
  std::vector<std::vector<float>> logits;
  for (int step = 0; step < 3; ++step) logits = script.step({{2, 8}, {3, 8}});
  ASSERT_EQ(script.cache(3).slot(), 1);
  ASSERT_EQ(script.cache(3).blocks()[0], 3);
  EXPECT_TRUE(same_bits(logits[0], last_logits(*judge, script.tokens(2))));
  EXPECT_TRUE(same_bits(logits[1], last_logits(*judge, script.tokens(3))));
}

TEST_P(Replay, A9_each_size_uses_its_own_buffers) {
  const auto runtime = whole();
  run_batches(*runtime, *eager(), {1, 8, 2, 8, 1});
  GraphRunner& runner = runtime->runner();
  EXPECT_EQ(runner.graphs(), (std::vector<int>{1, 2, 4, 8, 16}));
  for (const int size : runner.graphs()) {
    CapturedGraph& graph = runner.graph_for(size);
    EXPECT_EQ(runner.input(graph).rows(), size);
    EXPECT_EQ(runner.input(graph).i32(step_inputs::kPositions).size(),
              static_cast<std::size_t>(size));
  }
  EXPECT_NE(error_text([&] { runner.graph_for(17); }).find("no captured graph holds the rows"),
            std::string::npos);
  EXPECT_THROW(runner.graph_for(0), Error);
}

TEST_P(Replay, A7_positions_and_tables_are_read_at_each_replay) {
  // Over a window wrap (8) and block boundaries (8).
  const std::vector<std::int32_t> tokens = random_tokens(60, 55);
  const auto compare = [&](Runtime& runtime) {
    std::vector<std::vector<float>> all;
    StepScript script(runtime);
    script.open(tokens);
    script.step({{0, 5}});
    while (!script.done()) all.push_back(script.step({{0, 1}}).front());
    return all;
  };
  const auto replayed = compare(*whole());
  const auto judged = compare(*eager());
  ASSERT_EQ(replayed.size(), 50U);
  for (std::size_t i = 0; i < replayed.size(); ++i)
    ASSERT_TRUE(same_bits(replayed[i], judged[i])) << "position " << i + 5;
}

TEST_P(Replay, A8_graph_inputs_never_move) {
  const auto runtime = whole();
  GraphRunner& runner = runtime->runner();
  const auto addresses = [&] {
    std::map<std::string, const void*> all;
    for (const int size : runner.graphs())
      for (const std::string_view name :
           {step_inputs::kTokenIds, step_inputs::kPositions, step_inputs::kSlots,
            step_inputs::kPrevRows, step_inputs::kWantsLogits, step_inputs::kBlockTable})
        all[std::to_string(size) + std::string(name)] =
            runner.device_input(runner.graph_for(size)).raw(name).data();
    return all;
  };
  const auto at_capture = addresses();
  StepScript script(*runtime);
  script.open(random_tokens(61, 101));
  for (int i = 0; i < 100; ++i) {
    script.step({{0, 1}});
    ASSERT_EQ(addresses(), at_capture) << "replay " << i;
  }
  EXPECT_FALSE(same_bits(last_logits(*runtime, random_tokens(62, 9)),
                         last_logits(*runtime, random_tokens(63, 9))));
}

TEST_P(Replay, A10_the_output_of_an_earlier_replay_cannot_be_read) {
  const auto runtime = whole();
  const std::vector<std::int32_t> tokens = random_tokens(64, 6);
  StepScript script(*runtime);
  script.open(tokens);
  const auto first = script.metadata({{0, 2}});
  const StepOutput held = runtime->step(first);
  EXPECT_EQ(held.logits(1).size(), 640U);
  script.skip({0, 2});
  const StepOutput next = runtime->step(script.metadata({{0, 1}}));
  EXPECT_NE(error_text([&] { held.logits(1); }).find("has been overwritten"), std::string::npos);
  EXPECT_EQ(next.logits(0).size(), 640U);
  runtime->runner().destroy();
  EXPECT_NE(error_text([&] { next.logits(0); }).find("has been overwritten"), std::string::npos);
}

// Paths are chosen by live rows (or not at all): around every captured size and the powers of two
// that kernels tile by.
TEST_P(Replay, A16_every_number_of_live_rows_gives_the_eager_bits) {
  const auto runtime = whole();
  const auto judge = eager();
  for (int live = 1; live <= 16; ++live) {
    if (GetParam() == "reference" && live % 3 != 1) continue;
    const std::vector<std::int32_t> tokens =
        random_tokens(70 + static_cast<std::uint64_t>(live), static_cast<std::size_t>(live));
    const std::vector<float> wanted = last_logits(*judge, tokens);
    for (const int size : runtime->runner().graphs()) {
      if (size < live) continue;
      StepScript script(*runtime);
      script.open(tokens);
      EXPECT_TRUE(same_bits(script.step_at_size(size, {{0, live}}).front(), wanted))
          << live << " rows in a graph of " << size;
    }
  }
}

/// Logits after each lot of tokens behind the first `prefix`, a lot being one step in the graph of
/// `size` rows; the lots ascend, and end where one does not fit.
std::vector<std::vector<float>> run_lots(Runtime& runtime, const std::vector<std::int32_t>& tokens,
                                         int prefix, std::span<const int> lots, int size) {
  StepScript script(runtime);
  script.open(tokens);
  for (const int chunk :
       even_chunks(static_cast<std::size_t>(prefix), max_step_rows(runtime.options())))
    script.step({{0, chunk}});
  std::vector<std::vector<float>> logits;
  for (const int lot : lots)
    if (lot <= size) logits.push_back(script.step_at_size(size, {{0, lot}}).front());
  return logits;
}

class RowThresholds : public testing::TestWithParam<int> {};

// The cpu kernels deal out rows from four a thread on and split single rows below that: the entries
// that index_top_k sweeps, the channels of hc_mix (and the heads of sparse_attention, more than t41
// has: CpuSparseAttention). Rows of a graph and live rows both lie around that number here.
TEST_P(RowThresholds, A16_around_the_rows_from_which_kernels_split_otherwise) {
  constexpr int kRowsPerThread = 4;
  constexpr int kPrefix = 200;  // entries enough for every part of a split row
  const int threshold = kRowsPerThread * GetParam();
  const std::vector<int> lots = {threshold - 1, threshold, threshold + 1};
  const int count = kPrefix + 3 * threshold;
  const std::vector<std::int32_t> tokens = random_tokens(170, static_cast<std::size_t>(count));
  Options options = test_options("cpu");
  options.graph_mode = GraphMode::eager;
  options.prefill_bucket = 16;
  const auto wanted = run_lots(*open_runtime("t41", options), tokens, kPrefix, lots, 16);
  ASSERT_EQ(wanted.size(), 3U);
  options.graph_mode = GraphMode::whole;
  options.threads = GetParam();
  for (const int bucket : {threshold - 1, threshold, threshold + 1, 16}) {
    options.prefill_bucket = bucket;
    options.max_batch = bucket == 16 ? 8 : 1;
    const auto runtime = open_runtime("t41", options);
    for (const int size : runtime->runner().graphs()) {
      if (size < lots.front()) continue;
      const auto got = run_lots(*runtime, tokens, kPrefix, lots, size);
      ASSERT_GE(got.size(), 1U);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(same_bits(got[i], wanted[i])) << lots[i] << " rows in a graph of " << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, RowThresholds, testing::Values(1, 2, 3));

TEST_P(Replay, C2_the_first_request_after_start_equals_the_second) {
  const std::vector<std::int32_t> tokens = random_tokens(80, 20);
  for (const EngramMode engram : {EngramMode::memory, EngramMode::disk}) {
    Options o = options();
    o.engram = engram;
    const auto runtime = open_runtime("t41", o);
    const std::vector<float> first = last_logits(*runtime, tokens);
    EXPECT_TRUE(same_bits(first, last_logits(*runtime, tokens)));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Replay, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
