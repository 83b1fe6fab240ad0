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
  SequenceRun run(runtime, static_cast<std::int64_t>(tokens.size()));
  run.feed(tokens, chunks, false, [&](const StepOutput& output, std::int64_t first, int rows) {
    const auto last = static_cast<std::size_t>(first + rows - 1);
    ASSERT_TRUE(same_bits(expected[last], output.logits(rows - 1)))
        << way << ", chunk of " << rows << " rows from position " << first;
  });
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
      expect_chunking(*runtime, tokens, {}, expected, way);
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

// Every size, with one live row, all but one and all live; the sequence that is looked at stands at
// the first, a middle and the last row among others.
void check_sizes_and_positions(const Subject& subject) {
  const std::vector<std::int32_t> tokens = random_tokens(8, 13);
  const std::vector<std::vector<float>> expected = judge(subject, tokens);
  for (const GraphMode mode : {GraphMode::whole, GraphMode::regions, GraphMode::eager}) {
    if (mode == GraphMode::eager && subject.extent == Extent::reduced) continue;
    const auto runtime = open(subject, mode, subject.backend == "reference" ? 1 : 2);
    for (const int size : runtime->runner().graphs()) {
      const int most = std::min(size, kBatch);  // as many sequences as there are slots
      for (const int live : std::set<int>{1, std::max(1, most - 1), most}) {
        std::set<int> looked_at_rows = {0, live - 1};
        if (subject.extent == Extent::whole) looked_at_rows.insert(live / 2);
        for (const int row : looked_at_rows) {
          StepScript script(*runtime);
          std::vector<StepScript::Part> all;
          for (int i = 0; i < live; ++i) {
            const bool looked_at = i == row;
            const std::size_t sequence =
                script.open(looked_at ? tokens
                                      : random_tokens(100 + static_cast<std::uint64_t>(i),
                                                      3 + static_cast<std::size_t>(i)));
            const int before = static_cast<int>(script.tokens(sequence).size()) - 1;
            script.step({{sequence, before}});
            all.push_back({sequence, 1});
          }
          const auto logits = script.step_at_size(size, all);
          ASSERT_TRUE(same_bits(expected.back(), logits[static_cast<std::size_t>(row)]))
              << name_of(mode) << ", size " << size << ", row " << row << " of " << live
              << " live ones";
        }
      }
    }
  }
}

// Requests join, leave, are cancelled half-way and begun again, in steps that mix prompt chunks and
// single rows; what each said is compared with running it alone.
void check_random_schedule(const Subject& subject, std::uint64_t seed) {
  SCOPED_TRACE("DEEPINFER_TEST_SEED=" + std::to_string(seed) + ", " + name_of(subject));
  std::mt19937_64 random(seed);
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  const auto mode = draw(2) == 0 ? GraphMode::whole : GraphMode::regions;
  const auto runtime =
      open(subject, mode, subject.backend == "reference" ? 1 : 1 + static_cast<int>(draw(3)));
  const std::size_t requests = subject.extent == Extent::whole ? 12 : 5;

  std::vector<std::vector<std::int32_t>> prompts;
  for (std::size_t i = 0; i < requests; ++i)
    prompts.push_back(random_tokens(random(), 2 + draw(40)));
  std::vector<std::vector<float>> last(requests);
  std::vector<std::size_t> waiting(requests);
  std::iota(waiting.begin(), waiting.end(), std::size_t{0});

  StepScript script(*runtime);
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
    for (std::size_t i = 0; i < parts.size(); ++i) last[owners[i]] = logits[i];
    for (std::size_t i = running.size(); i-- > 0;) {
      const bool done = script.left(running[i].sequence) == 0;
      const bool cancelled = !done && draw(12) == 0;
      if (!done && !cancelled) continue;
      script.close(running[i].sequence);
      if (cancelled) waiting.insert(waiting.begin(), running[i].request);  // begun again later
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  for (std::size_t i = 0; i < requests; ++i)
    ASSERT_TRUE(same_bits(judge(subject, prompts[i]).back(), last[i])) << "request " << i;
}

}  // namespace deepinfer::equality
