// Faults B1, B2, B4, B5 and B15: lengths at which caches get their first entries, chunk ends at odd
// places, decoding against reading the same text as a prompt. The judge of the first is the
// reference in eager mode, one token at a time, whose logits the goldens fix.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "engine/sampler.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/golden_model.h"
#include "tests/support/schedule.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr std::size_t kWindow = 8;  // t41
constexpr std::size_t kBlockTokens = 16;

Options small_options(const std::string& backend, Numerics numerics) {
  Options options = test_options(backend, numerics);
  options.block_tokens = kBlockTokens;
  options.max_batch = 1;
  options.prefill_bucket = 64;
  return options;
}

/// Logits after every prefix of `tokens`, decoded token by token.
std::vector<std::vector<float>> decode_all(Runtime& runtime,
                                           const std::vector<std::int32_t>& tokens) {
  std::vector<std::vector<float>> logits;
  StepScript script(runtime);
  script.open(tokens);
  while (!script.done()) logits.push_back(script.step({{0, 1}}).front());
  return logits;
}

/// Best less second-best.
double gap_of(std::vector<float> logits) {
  std::nth_element(logits.begin(), logits.begin() + 1, logits.end(), std::greater<>());
  return double{logits[0]} - double{logits[1]};
}

TEST(CacheLengths, B1_every_prompt_length_from_the_first_cache_entry_on) {
  // Three windows and more than three groups of each ratio.
  const std::vector<std::int32_t> tokens = random_tokens(90, 40);
  Options eager = small_options("reference", Numerics::fp32);
  eager.graph_mode = GraphMode::eager;
  eager.prefill_bucket = 1;
  const auto wanted = decode_all(*open_runtime("t41", eager), tokens);
  const auto runtime = open_runtime("t41", small_options("cpu", Numerics::fp32));
  std::size_t decided = 0;
  for (std::size_t length = 1; length <= tokens.size(); ++length) {
    const std::vector<float> logits = last_logits(*runtime, {tokens.data(), length});
    // fp32 on both sides: the goldens' tolerance (1e-3 of logits that span more than 30).
    constexpr double kTolerance = 1e-3;
    EXPECT_LE(largest_difference(logits, wanted[length - 1]), kTolerance) << length << " tokens";
    if (gap_of(wanted[length - 1]) <= 2 * kTolerance) continue;
    ++decided;
    EXPECT_EQ(argmax(logits), argmax(wanted[length - 1])) << length << " tokens";
  }
  EXPECT_GE(decided, tokens.size() - 2) << "too few lengths have a next token beyond doubt";
}

class CachePaths : public testing::TestWithParam<std::string> {};

TEST_P(CachePaths, B2_decoding_equals_reading_the_text_as_a_prompt) {
  const std::size_t length = GetParam() == "reference" ? 40 : 100;
  const std::vector<std::int32_t> tokens = random_tokens(91, length);
  const auto runtime = open_runtime("t41", small_options(GetParam(), Numerics::official));
  const auto decoded = decode_all(*runtime, tokens);
  const std::size_t stride = GetParam() == "reference" ? 13 : 3;
  for (std::size_t prefix = 1; prefix <= length; prefix += stride)
    ASSERT_TRUE(same_bits(decoded[prefix - 1], last_logits(*runtime, {tokens.data(), prefix})))
        << prefix << " tokens";
}

TEST_P(CachePaths, B4_a_prompt_in_several_passes) {
  const std::size_t length = GetParam() == "reference" ? 50 : 200;
  const std::vector<std::int32_t> tokens = random_tokens(92, length);
  Options options = small_options(GetParam(), Numerics::official);
  options.prefill_bucket = static_cast<int>(length);
  const auto runtime = open_runtime("t41", options);
  const std::vector<float> whole = last_logits(*runtime, tokens);
  for (const int chunk : {1, 7, 16, 64, 128}) {
    if (static_cast<std::size_t>(chunk) > length) continue;
    EXPECT_TRUE(same_bits(whole, last_logits(*runtime, tokens, even_chunks(length, chunk))))
        << "chunks of " << chunk;
  }
}

TEST_P(CachePaths, B5_chunks_that_end_inside_groups_windows_and_blocks) {
  constexpr std::size_t kLength = 40;
  const std::vector<std::int32_t> tokens = random_tokens(93, kLength);
  const auto runtime = open_runtime("t41", small_options(GetParam(), Numerics::official));
  const std::vector<float> whole = last_logits(*runtime, tokens);
  for (const std::size_t end : {std::size_t{1}, std::size_t{3}, kWindow - 1, kWindow, kWindow + 1,
                                kBlockTokens - 1, kBlockTokens, kBlockTokens + 1}) {
    const auto first = static_cast<int>(end);
    const std::vector<int> two = {first, static_cast<int>(kLength) - first};
    EXPECT_TRUE(same_bits(whole, last_logits(*runtime, tokens, two))) << "first chunk " << end;
    const std::vector<int> three = {first, 1, static_cast<int>(kLength) - first - 1};
    EXPECT_TRUE(same_bits(whole, last_logits(*runtime, tokens, three))) << "first chunk " << end;
  }
}

// The goldens' lists come from scoring against the layer's own KV source at every step.
TEST_P(CachePaths, B15_decoding_selects_the_entries_of_the_layers_own_source) {
  const GoldenModel& golden = GoldenModel::named("t41");
  const std::vector<std::int32_t>& ids = golden.prompt("p48").ids;
  const auto runtime = open_runtime("t41", small_options(GetParam(), Numerics::fp32), true);
  const std::vector<int>& sources = runtime->model().config().index_source_layer_ids;
  std::vector<std::vector<std::int32_t>> wanted;
  wanted.reserve(sources.size());
  for (const int layer : sources)
    wanted.push_back(golden.tensors().i32("trace48.fp32.index" + std::to_string(layer) + ".sel"));
  SequenceRun run(*runtime, 48);
  const std::vector<int> one_by_one(48, 1);
  run.feed(ids, one_by_one, false, [&](const StepOutput& output, std::int64_t position, int) {
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto got = output.traced_i32("layer." + std::to_string(sources[s]) + ".selected");
      const std::size_t width = wanted[s].size() / 48;
      for (std::size_t i = 0; i < width; ++i)
        ASSERT_EQ(got[i], wanted[s][static_cast<std::size_t>(position) * width + i])
            << "layer " << sources[s] << ", position " << position;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, CachePaths, testing::Values("reference", "cpu"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
