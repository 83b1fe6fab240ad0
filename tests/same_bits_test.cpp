// Property 1: logits are the same bits in every graph mode, at every size and position in the
// batch, however the prompt was chunked, with every number of threads, alone or among others. For
// the reference and every instruction set of this machine.

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "src/backend/test_backends_test.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class SameBits : public testing::TestWithParam<std::string> {
 protected:
  Options options(Numerics numerics = Numerics::official) const {
    Options options = test_options(GetParam(), numerics);
    options.prefill_bucket = 40;
    return options;
  }
  bool reference() const { return GetParam() == "reference"; }
};

TEST_P(SameBits, EveryModeWithOneToThreeThreads) {
  const std::vector<std::int32_t> tokens = random_tokens(1, 45);
  std::vector<float> first;
  for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager}) {
    for (const int threads : {1, 2, 3}) {
      if (reference() && threads > 1) continue;  // takes no threads
      Options o = options();
      o.graph_mode = mode;
      o.threads = threads;
      const auto runtime = open_runtime("t41", o);
      const std::vector<float> logits = last_logits(*runtime, tokens);
      if (first.empty()) first = logits;
      EXPECT_TRUE(same_bits(first, logits)) << name_of(mode) << ", " << threads << " threads";
    }
  }
}

TEST_P(SameBits, EveryChunking) {
  const std::vector<std::int32_t> tokens = random_tokens(2, reference() ? 70 : 230);
  Options o = options(Numerics::fp32);
  o.prefill_bucket = 128;
  const auto runtime = open_runtime("t41", o);
  const std::vector<float> whole = last_logits(*runtime, tokens);
  for (const int size : {1, 7, 16, 33, 100}) {
    const std::vector<int> chunks = even_chunks(tokens.size(), size);
    EXPECT_TRUE(same_bits(whole, last_logits(*runtime, tokens, chunks))) << "chunks of " << size;
  }
}

TEST_P(SameBits, EverySizeAndEveryPositionInTheBatch) {
  Options o = options();
  o.max_batch = 16;
  const auto runtime = open_runtime("t41", o);
  // 16 sequences of different lengths; then all take one more token, in batches of 1 to 16, each
  // sequence at another row every time.
  constexpr std::size_t kSequences = 16;
  std::vector<std::vector<std::int32_t>> tokens;
  std::vector<std::vector<float>> alone;
  for (std::size_t i = 0; i < kSequences; ++i) {
    tokens.push_back(random_tokens(10 + i, 2 + i));
    alone.push_back(last_logits(*runtime, tokens.back()));
  }
  for (std::size_t size = 1; size <= kSequences; size += reference() ? 5 : 1) {
    StepScript script(*runtime);
    for (std::size_t i = 0; i < size; ++i) script.open(tokens[(i * 3 + size) % kSequences]);
    for (std::size_t i = 0; i < size; ++i)
      script.step({{i, static_cast<int>(script.tokens(i).size()) - 1}});
    std::vector<StepScript::Part> all;
    for (std::size_t i = 0; i < size; ++i) all.push_back({i, 1});
    const auto logits = script.step(all);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_TRUE(same_bits(alone[(i * 3 + size) % kSequences], logits[i]))
          << "row " << i << " of " << size;
  }
}

TEST_P(SameBits, LayoutAndEngramStorage) {
  const std::vector<std::int32_t> tokens = random_tokens(3, 30);
  std::vector<float> first;
  for (const Layout layout : {Layout::block_major, Layout::layer_major}) {
    for (const EngramMode engram : {EngramMode::memory, EngramMode::disk}) {
      Options o = options();
      o.layout = layout;
      o.engram = engram;
      o.block_tokens = layout == Layout::block_major ? 64 : 6;
      const auto runtime = open_runtime("t41", o);
      const std::vector<float> logits = last_logits(*runtime, tokens);
      if (first.empty()) first = logits;
      EXPECT_TRUE(same_bits(first, logits));
    }
  }
}

// The one split there is: rows and experts over threads. Workers choose alike, not only answer
// alike.
TEST_P(SameBits, B18_a_split_over_workers_chooses_the_same_experts_and_entries) {
  if (reference()) return;  // takes no threads
  const std::vector<std::int32_t> tokens = random_tokens(5, 40);
  std::vector<std::int32_t> first;
  for (const int threads : {1, 2, 3}) {
    Options o = options();
    o.threads = threads;
    const auto runtime = open_runtime("t41", o, true);
    const ModelConfig& config = runtime->model().config();
    std::vector<std::int32_t> chosen;
    const auto take = [&](const StepOutput& output, int layer, const char* what) {
      const auto ids = output.traced_i32("layer." + std::to_string(layer) + "." + what);
      chosen.insert(chosen.end(), ids.begin(), ids.end());
    };
    SequenceRun run(*runtime, static_cast<std::int64_t>(tokens.size()));
    run.feed(tokens, {}, false, [&](const StepOutput& output, std::int64_t, int) {
      for (int layer = 0; layer < config.num_hidden_layers; ++layer) {
        take(output, layer, "experts");
        if (config.is_index_source(layer)) take(output, layer, "selected");
      }
      take(output, config.candidate_source_layer_id, "candidate_blocks");
    });
    ASSERT_GT(chosen.size(), tokens.size());
    if (first.empty()) first = chosen;
    EXPECT_EQ(first, chosen) << threads << " threads";
  }
}

// Fault A17: sizes that are equal by default are used for one another.
TEST_P(SameBits, A17_all_static_sizes_pairwise_different) {
  const std::vector<std::int32_t> tokens = random_tokens(4, 100);
  Options usual = options();
  usual.prefill_bucket = 64;
  usual.block_tokens = 64;
  const std::vector<float> wanted = last_logits(*open_runtime("t41", usual), tokens);

  Options different = options();
  different.prefill_bucket = 48;
  different.max_batch = 32;
  different.block_tokens = 16;  // and a window of 8 (t41)
  const auto runtime = open_runtime("t41", different);
  EXPECT_TRUE(same_bits(wanted, last_logits(*runtime, tokens)));
}

TEST_P(SameBits, RandomSchedules) {
  const std::uint64_t seed = test_seed();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("DEEPINFER_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };

  Options o = options(draw(2) == 0 ? Numerics::fp32 : Numerics::official);
  o.max_batch = 8;
  o.block_tokens = 2 * (1 + static_cast<int>(draw(16)));
  o.threads = 1 + static_cast<int>(draw(3));
  const auto runtime = open_runtime("t41", o);
  const std::size_t longest = reference() ? 30 : 90;
  const std::size_t count = 3 + draw(6);
  StepScript script(*runtime);
  for (std::size_t i = 0; i < count; ++i) script.open(random_tokens(random(), 1 + draw(longest)));

  // Steps of random rows of random sequences until all have been fed.
  std::vector<std::vector<float>> last(count);
  while (!script.done()) {
    std::vector<StepScript::Part> parts;
    int room = o.prefill_bucket;
    for (std::size_t i = 0; i < count; ++i) {
      const auto left = static_cast<int>(script.left(i));
      if (left == 0 || draw(3) == 0) continue;
      const int most = std::min({left, room, 1 + static_cast<int>(draw(20))});
      if (most < 1) continue;
      parts.push_back({i, most});
      room -= most;
    }
    std::shuffle(parts.begin(), parts.end(), random);
    if (parts.empty()) continue;
    const auto logits = script.step(parts);
    for (std::size_t p = 0; p < parts.size(); ++p) last[parts[p].sequence] = logits[p];
  }

  Options plain = o;
  plain.graph_mode = GraphMode::eager;
  plain.threads = 1;
  plain.max_batch = 1;
  plain.block_tokens = 64;
  const auto judge = open_runtime("t41", plain);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_TRUE(same_bits(last[i], last_logits(*judge, script.tokens(i)))) << "sequence " << i;
}

INSTANTIATE_TEST_SUITE_P(Backends, SameBits, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
