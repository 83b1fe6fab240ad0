#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>

#include "tests/equality/equality.h"

namespace deepinfer::equality {
namespace {

/// `first` rows, then the rest; both in chunks that fit the bucket.
std::vector<int> cut_at(int first, int total) {
  std::vector<int> chunks = even_chunks(static_cast<std::size_t>(first), kBucket);
  const std::vector<int> rest = even_chunks(static_cast<std::size_t>(total - first), kBucket);
  chunks.insert(chunks.end(), rest.begin(), rest.end());
  return chunks;
}

/// Runs `tokens` in `chunks` and compares the logits at the end of every chunk.
void expect_chunking(Runtime& runtime, const std::vector<std::int32_t>& tokens,
                     const std::vector<int>& chunks,
                     const std::vector<std::vector<float>>& expected, const std::string& way) {
  StepScript script(runtime, Poison::every_step);
  const std::size_t sequence = script.open(tokens);
  std::size_t end = 0;
  for (const int rows : chunks) {
    const auto logits = script.step({{sequence, rows}});
    end += static_cast<std::size_t>(rows);
    ASSERT_TRUE(same_bits(expected[end - 1], logits.front()))
        << way << ", chunk of " << rows << " rows up to position " << end - 1;
  }
  ASSERT_EQ(end, tokens.size()) << way;
  script.close(sequence);
}

/// Runs all tokens of a sequence but the last.
void run_all_but_one(StepScript& script, std::size_t sequence) {
  while (script.left(sequence) > 1)
    script.step({{sequence, std::min(kBucket, static_cast<int>(script.left(sequence)) - 1)}});
}

}  // namespace

void check_modes_and_chunkings(const Subject& subject) {
  const bool reference = subject.backend == "reference";
  std::vector<std::int32_t> tokens;
  std::vector<std::vector<float>> expected;
  for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager}) {
    for (const int threads : {1, 2, 3}) {
      if (threads > 1 && reference) continue;  // takes no threads
      if (threads > 2 && subject.extent == Extent::reduced) continue;
      const auto runtime = open(subject, mode, threads);
      if (tokens.empty()) {
        tokens = long_tokens(*runtime, 7);
        expected = judge(subject, tokens);
      }
      const int total = static_cast<int>(tokens.size());
      const std::string way =
          std::string(name_of(mode)) + ", " + std::to_string(threads) + " threads";
      expect_chunking(*runtime, tokens, even_chunks(tokens.size(), kBucket), expected, way);
      if (testing::Test::HasFatalFailure()) return;
      for (const int length : boundary_lengths(*runtime, total, subject.extent)) {
        expect_chunking(*runtime, tokens, cut_at(length, total), expected,
                        way + ", cut at " + std::to_string(length));
        if (testing::Test::HasFatalFailure()) return;
      }
      if (subject.extent == Extent::reduced) continue;
      for (const int size : {1, 2, 3, 7, 16}) {
        expect_chunking(*runtime, tokens, even_chunks(tokens.size(), size), expected,
                        way + ", chunks of " + std::to_string(size));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Every size with every live count (reduced: one, all but one and all); the sequence that is looked
// at stands at the first, a middle and the last row among others. It is longer than a window.
void check_sizes_and_positions(const Subject& subject) {
  const bool whole = subject.extent == Extent::whole;
  std::vector<std::int32_t> tokens;
  std::vector<float> expected;
  for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager}) {
    if (mode == GraphMode::eager && !whole) continue;
    const auto runtime = open(subject, mode, subject.backend == "reference" ? 1 : 2);
    if (tokens.empty()) {
      tokens =
          random_tokens(8, static_cast<std::size_t>(runtime->model().config().sliding_window) + 3);
      expected = judge(subject, tokens).back();
    }
    for (const int size : runtime->runner().graphs()) {
      const int most = std::min(size, kBatch);  // as many sequences as there are slots
      for (int live = 1; live <= most; ++live) {
        if (!whole && live > 1 && live < most - 1) continue;
        std::set<int> looked_at_rows = {0, live - 1};
        if (whole) looked_at_rows.insert(live / 2);
        for (const int row : looked_at_rows) {
          StepScript script(*runtime, Poison::every_step);
          std::vector<StepScript::Part> all;
          for (int i = 0; i < live; ++i) {
            const std::size_t sequence =
                script.open(i == row ? tokens
                                     : random_tokens(100 + static_cast<std::uint64_t>(i),
                                                     3 + static_cast<std::size_t>(i)));
            run_all_but_one(script, sequence);
            all.push_back({sequence, 1});
          }
          const auto logits = script.step_at_size(size, all);
          ASSERT_TRUE(same_bits(expected, logits[static_cast<std::size_t>(row)]))
              << name_of(mode) << ", size " << size << ", row " << row << " of " << live
              << " live ones";
          for (const StepScript::Part& part : all) script.close(part.sequence);
        }
      }
    }
  }
}

// A sequence that grows through every context bucket, in chunks and one row at a time, and one that
// stays short beside it: the same bits as without buckets.
void check_context_buckets(const Subject& subject) {
  constexpr std::int64_t kSmallest = kBlock + 3;  // ends inside a block
  std::vector<std::int32_t> tokens;
  std::vector<std::vector<float>> expected;
  for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager}) {
    if (mode == GraphMode::eager && subject.extent == Extent::reduced) continue;
    const auto runtime =
        open(subject, mode, subject.backend == "reference" ? 1 : 2, kBatch, kSmallest);
    if (tokens.empty()) {
      tokens = long_tokens(*runtime, 9);
      expected = judge(subject, tokens);
    }
    for (const int chunk : {1, 5, kBucket})
      expect_chunking(*runtime, tokens, even_chunks(tokens.size(), chunk), expected,
                      fmt::format("{}, chunks of {}, context buckets", name_of(mode), chunk));
    if (testing::Test::HasFatalFailure()) return;
    std::set<std::int64_t> used;
    for (const CaptureInfo& info : runtime->runner().captures())
      if (info.replays > 0) used.insert(info.context);
    ASSERT_GE(used.size(), 3U) << "the sequence must grow through buckets";

    StepScript script(*runtime, Poison::every_step);
    const std::size_t grows = script.open(tokens);
    const std::size_t stays = script.open(tokens);
    run_all_but_one(script, grows);
    script.step({{stays, 2}});
    const auto logits = script.step({{stays, 1}, {grows, 1}});
    ASSERT_TRUE(same_bits(expected[2], logits.front())) << name_of(mode);
    ASSERT_TRUE(same_bits(expected.back(), logits.back())) << name_of(mode);
    script.close(grows);
    script.close(stays);
  }
}

// Requests join, leave, are cancelled half-way and begun again, in steps that mix prompt chunks and
// single rows; what each said at the end of every step is compared with running it alone.
void check_random_schedule(const Subject& subject, std::uint64_t seed) {
  SCOPED_TRACE("DEEPINFER_TEST_SEED=" + std::to_string(seed) + ", " + name_of(subject));
  std::mt19937_64 random(seed);
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  const auto mode = std::array{GraphMode::whole, GraphMode::regions, GraphMode::eager}[draw(3)];
  const auto runtime =
      open(subject, mode, subject.backend == "reference" ? 1 : 1 + static_cast<int>(draw(3)));
  const std::size_t requests = subject.extent == Extent::whole ? 12 : 5;

  std::vector<std::vector<std::int32_t>> prompts;
  for (std::size_t i = 0; i < requests; ++i)
    prompts.push_back(random_tokens(random(), 2 + draw(40)));
  struct Said {
    std::size_t tokens;  // run so far
    std::vector<float> logits;
  };
  std::vector<std::vector<Said>> said(requests);
  std::vector<std::size_t> waiting(requests);
  std::iota(waiting.begin(), waiting.end(), std::size_t{0});

  StepScript script(*runtime, Poison::every_step);
  struct Running {
    std::size_t request;
    std::size_t sequence;
  };
  std::vector<Running> running;
  while (!waiting.empty() || !running.empty()) {
    if (!waiting.empty() && running.size() < kBatch && draw(3) != 0) {
      running.push_back({waiting.back(), script.open(prompts[waiting.back()])});
      waiting.pop_back();
    }
    std::vector<StepScript::Part> parts;
    std::vector<std::size_t> owners;
    int room = kBucket;
    for (const Running& entry : running) {
      const int most = std::min(
          {static_cast<int>(script.left(entry.sequence)), room, 1 + static_cast<int>(draw(9))});
      if (most < 1 || draw(4) == 0) continue;
      parts.push_back({entry.sequence, most});
      owners.push_back(entry.request);
      room -= most;
    }
    const auto logits = script.step(parts);
    for (std::size_t i = 0; i < parts.size(); ++i)
      said[owners[i]].push_back(
          {prompts[owners[i]].size() - script.left(parts[i].sequence), logits[i]});
    for (std::size_t i = running.size(); i-- > 0;) {
      const bool done = script.left(running[i].sequence) == 0;
      const bool cancelled = !done && draw(12) == 0;
      if (!done && !cancelled) continue;
      script.close(running[i].sequence);
      if (cancelled) waiting.insert(waiting.begin(), running[i].request);  // begun again later
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (std::size_t i = 0; i < requests; ++i) {
    const std::vector<std::vector<float>> alone = judge(subject, prompts[i]);
    ASSERT_EQ(said[i].back().tokens, prompts[i].size());
    for (const Said& step : said[i])
      ASSERT_TRUE(same_bits(alone[step.tokens - 1], step.logits))
          << "request " << i << " after " << step.tokens << " tokens";
  }
}

}  // namespace deepinfer::equality
