#include "deepinfer/graph_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "cache/kv_caches.h"
#include "deepinfer/error.h"
#include "model/model.h"
#include "model/step_inputs.h"
#include "runner/captured_graph.h"
#include "runner/step_input.h"

namespace deepinfer {
namespace {

constexpr int kMaxBatch = 4;
constexpr int kBucket = 12;
constexpr std::int64_t kContext = 64;
constexpr int kVocab = 640;

Options small_options(GraphMode mode = GraphMode::whole) {
  Options options;
  options.backend = BackendKind::cpu;
  options.graph_mode = mode;
  options.numerics = Numerics::fp32;
  options.max_batch = kMaxBatch;
  options.prefill_bucket = kBucket;
  options.threads = 2;
  return options;
}

/// A captured runner over tests/data/t41 with `kMaxBatch` sequence slots of 64 tokens each.
class GraphRunnerTest : public testing::Test {
 protected:
  GraphRunnerTest()
      : model_(open_model("tests/data/t41", EngramMode::memory)),
        caches_(CacheLayout(model_.config(), {.block_tokens = 16,
                                              .blocks = kMaxBatch * kContext / 16 + 1,
                                              .slots = kMaxBatch + 1,
                                              .max_step_rows = kBucket})),
        runner_(kMaxBatch, small_options()) {
    for (int i = 0; i < kContext; ++i) tokens_.push_back(3 + (i * 37) % 500);
  }

  void capture(GraphRunner& runner) {
    runner.capture(model_, caches_, make_prepare_input(model_, caches_),
                   padding_sequence(caches_.layout().geometry()), kContext);
  }

  /// Rows [first, first + rows) of the sequence in `slot`.
  SequenceMetadata sequence(std::int32_t slot, std::int64_t first, int rows) {
    auto& blocks = blocks_[slot];
    for (std::int32_t i = static_cast<std::int32_t>(blocks.size()); i < kContext / 16; ++i)
      blocks.push_back(slot * static_cast<std::int32_t>(kContext / 16) + i);
    return {
        .tokens = tokens_, .first_position = first, .rows = rows, .slot = slot, .blocks = blocks};
  }

  StepOutput step(GraphRunner& runner, const std::vector<SequenceMetadata>& sequences) {
    int rows = 0;
    for (const auto& sequence : sequences) rows += sequence.rows;
    CapturedGraph& graph = runner.graph_for(rows);
    make_prepare_input(model_, caches_)(sequences, runner.input(graph));
    return runner.replay(graph);
  }

  std::vector<float> logits(GraphRunner& runner, const SequenceMetadata& sequence) {
    const auto view = step(runner, {sequence}).logits(sequence.rows - 1);
    return {view.begin(), view.end()};
  }

  Model model_;
  KvCaches caches_;
  GraphRunner runner_;
  std::vector<std::int32_t> tokens_;
  std::map<std::int32_t, std::vector<std::int32_t>> blocks_;
};

TEST_F(GraphRunnerTest, CapturesPowersOfTwoTheLargestBatchAndTheBucket) {
  capture(runner_);
  EXPECT_EQ(runner_.graphs(), (std::vector<int>{1, 2, 4, kBucket}));
  EXPECT_EQ(runner_.compiles(), 4U);
  GraphRunner odd(3, small_options());
  capture(odd);
  EXPECT_EQ(odd.graphs(), (std::vector<int>{1, 2, 3, kBucket}));
}

TEST_F(GraphRunnerTest, CapturesTheLargestSizeFirst) {
  std::vector<int> order;
  runner_.capture(model_, caches_, make_prepare_input(model_, caches_),
                  padding_sequence(caches_.layout().geometry()), kContext, false,
                  [&](const CaptureInfo& done, int, int count) {
                    order.push_back(done.rows);
                    EXPECT_EQ(count, 4);
                    EXPECT_GT(done.first_run_ms, 0);
                  });
  EXPECT_EQ(order, (std::vector<int>{kBucket, 4, 2, 1}));
}

TEST_F(GraphRunnerTest, CapturingTwiceDestroysTheFirst) {
  capture(runner_);
  const std::vector<float> before = logits(runner_, sequence(0, 0, 5));
  capture(runner_);
  EXPECT_EQ(runner_.graphs().size(), 4U);
  EXPECT_EQ(logits(runner_, sequence(0, 0, 5)), before);
}

TEST_F(GraphRunnerTest, ReplayAfterDestroyIsAnErrorAndDestroyingTwiceIsNot) {
  capture(runner_);
  CapturedGraph& graph = runner_.graph_for(1);
  runner_.destroy();
  runner_.destroy();
  EXPECT_TRUE(runner_.graphs().empty());
  EXPECT_THROW(runner_.replay(graph), Error);  // only the address is compared
  EXPECT_THROW(runner_.graph_for(1), Error);
}

TEST_F(GraphRunnerTest, A9_lookup_gives_the_smallest_size_that_fits_or_an_error) {
  capture(runner_);
  EXPECT_EQ(runner_.graph_for(1).rows(), 1);
  EXPECT_EQ(runner_.graph_for(3).rows(), 4);
  EXPECT_EQ(runner_.graph_for(5).rows(), kBucket);
  EXPECT_THROW(runner_.graph_for(kBucket + 1), Error);
  EXPECT_THROW(runner_.graph_for(0), Error);
  GraphRunner other(kMaxBatch, small_options());
  capture(other);
  EXPECT_THROW(other.replay(runner_.graph_for(1)), Error);  // another runner's graph
}

TEST_F(GraphRunnerTest, A10_results_of_an_earlier_replay_cannot_be_read) {
  capture(runner_);
  const StepOutput first = step(runner_, {sequence(0, 0, 1)});
  EXPECT_EQ(first.logits(0).size(), static_cast<std::size_t>(kVocab));
  EXPECT_THROW(first.logits(1), Error);  // only one row
  const StepOutput second = step(runner_, {sequence(0, 1, 1)});
  EXPECT_THROW(first.logits(0), Error);
  EXPECT_NO_THROW(second.logits(0));
  runner_.destroy();
  EXPECT_THROW(second.logits(0), Error);
  EXPECT_THROW(StepOutput().logits(0), Error);
  EXPECT_THROW(first.traced_f32("logits"), Error);
}

TEST_F(GraphRunnerTest, A8_graph_inputs_never_move) {
  capture(runner_);
  std::map<int, const std::byte*> addresses;
  for (const int size : runner_.graphs())
    addresses[size] =
        runner_.device_input(runner_.graph_for(size)).raw(step_inputs::kPositions).data();
  for (int i = 0; i < 30; ++i) step(runner_, {sequence(0, i, 1)});
  for (const int size : runner_.graphs())
    EXPECT_EQ(runner_.device_input(runner_.graph_for(size)).raw(step_inputs::kPositions).data(),
              addresses[size]);
  EXPECT_EQ(addresses[1], addresses[kBucket]);  // cuts of the same buffers
}

TEST_F(GraphRunnerTest, A4_padding_rows_change_no_cache_byte) {
  capture(runner_);
  const CacheLayout& layout = caches_.layout();
  const std::map<CacheRoot, std::int64_t> sizes = {
      {CacheRoot::kv, layout.root_bytes(CacheRoot::kv)},
      {CacheRoot::state, layout.root_bytes(CacheRoot::state)}};
  for (const auto& [root, bytes] : sizes)
    std::memset(caches_.root(root), 0xA5, static_cast<std::size_t>(bytes));
  // Three live rows in the graph of four, at ring entry 0 of slots 0, 1 and 3.
  step(runner_, {sequence(0, 0, 1), sequence(1, 0, 1), sequence(3, 0, 1)});
  const std::vector<std::int32_t> live = {0, 1, 3};
  for (const CacheColumn& column : layout.columns()) {
    const std::int64_t entry_bytes = column.kind == CacheKind::ca_state
                                         ? column.recipe.column_bytes()
                                         : column.recipe.column_bytes() / column.recipe.shape[1];
    for (std::int64_t row = 0; row < column.recipe.shape[0]; ++row)
      for (std::int64_t at = 0; at < column.recipe.column_bytes(); ++at) {
        const bool kv = column.recipe.root == CacheRoot::kv;
        const std::int64_t slot = kv ? row / (kContext / 16) : row;
        const bool first_of_slot = !kv || row % (kContext / 16) == 0;
        const bool own =
            std::count(live.begin(), live.end(), slot) > 0 && first_of_slot && at < entry_bytes;
        if (!own) {
          ASSERT_EQ(caches_.row(column, row)[at], std::byte{0xA5})
              << column.name << " row " << row << " byte " << at;
        }
      }
  }
}

TEST_F(GraphRunnerTest, A1_every_size_runs_on_padding_alone_with_finite_results) {
  capture(runner_);
  for (const int size : runner_.graphs()) {
    CapturedGraph& graph = runner_.graph_for(size);
    make_prepare_input(model_, caches_)({}, runner_.input(graph));
    const StepOutput output = runner_.replay(graph);
    for (int row = 0; row < size; ++row)
      for (const float logit : output.logits(row)) ASSERT_EQ(logit, 0) << size;
  }
}

TEST_F(GraphRunnerTest, A7_positions_tables_and_lengths_are_read_at_each_replay) {
  capture(runner_);
  GraphRunner eager(kMaxBatch, small_options(GraphMode::eager));
  capture(eager);
  for (int position = 0; position < 40; ++position) {  // several window wraps and blocks
    const std::vector<float> planned = logits(runner_, sequence(0, position, 1));
    const std::vector<float> wanted = logits(eager, sequence(1, position, 1));
    ASSERT_EQ(std::memcmp(planned.data(), wanted.data(), planned.size() * sizeof(float)), 0)
        << position;
  }
}

TEST_F(GraphRunnerTest, A5_stale_rows_of_a_larger_batch_do_not_come_back) {
  capture(runner_);
  std::vector<float> alone;
  for (int position = 0; position < 6; ++position)
    alone = logits(runner_, sequence(0, position, 1));
  // The same sequence in batches of 4, 3, 1, 4, 2, 1.
  const std::vector<int> batches = {4, 3, 1, 4, 2, 1};
  std::vector<float> mixed;
  for (int position = 0; position < 6; ++position) {
    std::vector<SequenceMetadata> sequences = {sequence(1, position, 1)};
    for (int other = 1; other < batches[static_cast<std::size_t>(position)]; ++other)
      sequences.push_back(sequence(other == 1 ? 0 : other, 0, 1));
    const StepOutput output = step(runner_, sequences);
    mixed.assign(output.logits(0).begin(), output.logits(0).end());
  }
  EXPECT_EQ(mixed, alone);
}

TEST_F(GraphRunnerTest, InputOnDeviceSkipsTheCopy) {
  GraphRunner on_device(kMaxBatch, small_options(), true);
  capture(on_device);
  capture(runner_);
  const std::vector<float> wanted = logits(runner_, sequence(0, 0, 1));
  CapturedGraph& graph = on_device.graph_for(1);
  const std::vector<SequenceMetadata> sequences = {sequence(1, 0, 1)};
  make_prepare_input(model_, caches_)(sequences, on_device.device_input(graph));
  make_prepare_input(model_, caches_)({}, on_device.input(graph));  // must not be looked at
  const StepOutput output = on_device.replay(graph);
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), output.logits(0).begin()));
}

TEST_F(GraphRunnerTest, CountsReplaysBySize) {
  capture(runner_);
  step(runner_, {sequence(0, 0, 1)});
  step(runner_, {sequence(0, 1, 9)});
  step(runner_, {sequence(0, 10, 1)});
  EXPECT_EQ(runner_.replays(1), 2U);
  EXPECT_EQ(runner_.replays(kBucket), 1U);
  EXPECT_EQ(runner_.replays(2), 0U);
}

TEST_F(GraphRunnerTest, AFailedCaptureLeavesNothingCaptured) {
  const auto failing = [](std::span<const SequenceMetadata>, InputMetadata&) {
    throw Error::failed("test", "no input");
  };
  EXPECT_THROW(runner_.capture(model_, caches_, failing,
                               padding_sequence(caches_.layout().geometry()), kContext),
               Error);
  EXPECT_TRUE(runner_.graphs().empty());
}

}  // namespace
}  // namespace deepinfer
