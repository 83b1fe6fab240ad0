#include "tests/support/test_runtime.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "engine/sampler.h"

namespace deepinfer {

std::string test_model(const std::string& checkpoint) { return "tests/data/" + checkpoint; }

Options test_options(const std::string& backend, Numerics numerics) {
  Options options;
  options.backend = BackendKind::cpu;
  if (backend == "reference") options.backend = BackendKind::reference;
  if (backend == "pjrt") options.backend = BackendKind::pjrt;
  if (options.backend == BackendKind::cpu && backend != "cpu") options.isa = backend;
  options.numerics = numerics;
  options.kv_memory = std::int64_t{16} << 20;
  options.max_context = 1024;
  options.max_batch = 4;
  options.threads = 1;
  return options;
}

std::unique_ptr<Runtime> open_runtime(const std::string& checkpoint, const Options& options,
                                      bool trace) {
  return std::make_unique<Runtime>(open_model(test_model(checkpoint), options.engram), options,
                                   trace);
}

std::vector<float> feed(SequenceRun& run, const Runtime& runtime,
                        std::span<const std::int32_t> tokens, std::span<const int> chunks) {
  const int largest = max_step_rows(runtime.options());
  std::vector<int> cut;
  for (const int chunk : chunks) {
    const std::vector<int> parts = even_chunks(static_cast<std::size_t>(chunk), largest);
    cut.insert(cut.end(), parts.begin(), parts.end());
  }
  std::vector<float> logits;
  run.feed(tokens, cut, false, [&](const StepOutput& output, std::int64_t, int rows) {
    const auto last = output.logits(rows - 1);
    logits.assign(last.begin(), last.end());
  });
  return logits;
}

std::vector<float> last_logits(Runtime& runtime, std::span<const std::int32_t> tokens,
                               std::span<const int> chunks) {
  SequenceRun run(runtime, static_cast<std::int64_t>(tokens.size()));
  return feed(run, runtime, tokens, chunks);
}

std::vector<std::int32_t> greedy(Runtime& runtime, std::span<const std::int32_t> tokens,
                                 std::size_t count) {
  SequenceRun run(runtime, static_cast<std::int64_t>(tokens.size() + count));
  std::vector<float> logits = feed(run, runtime, tokens);
  std::vector<std::int32_t> next;
  for (;;) {
    next.push_back(argmax(logits));
    if (next.size() >= count) return next;
    logits = feed(run, runtime, {&next.back(), 1});
  }
}

testing::AssertionResult same_bits(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size())
    return testing::AssertionFailure() << a.size() << " against " << b.size() << " elements";
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]))
      return testing::AssertionFailure() << "element " << i << ": " << a[i] << " against " << b[i];
  return testing::AssertionSuccess();
}

std::vector<std::int32_t> random_tokens(std::uint64_t seed, std::size_t count, int vocab) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> tokens(count);
  for (std::int32_t& token : tokens)
    token = 3 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(vocab - 3));
  return tokens;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * double{b[i]};
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
  }
  return ab / std::sqrt(aa * bb);
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(double{a[i]} - double{b[i]});
    if (std::isnan(difference)) return difference;  // fails every comparison
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace deepinfer
