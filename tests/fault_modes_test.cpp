// Fault A13: one combination of two features that are each fine alone gives wrong text.

#include <gtest/gtest.h>

#include <algorithm>

#include "deepinfer/engine.h"
#include "src/backend/test_backends_test.h"
#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

constexpr int kTokens = 64;
constexpr int kChunk = 16;
constexpr int kWholePrompt = 48;  // of any prompt below

/// Three requests at once, so that chunks of one prompt ride with decode rows of another; none of
/// the prompts ends with a chunk.
std::vector<std::string> answers(const Options& options) {
  Engine engine(options);
  const std::vector<std::size_t> lengths = {41, 5, 23};
  for (std::size_t i = 0; i < lengths.size(); ++i)
    engine.submit({.prompt = random_tokens(70 + i, lengths[i]),
                   .sampling = {},
                   .max_tokens = kTokens,
                   .stop = {},
                   .stop_tokens = {},
                   .ignore_eos = true});
  std::vector<TokenEvent> events;
  while (engine.step(events)) {
  }
  std::vector<std::string> answers(lengths.size());
  for (const TokenEvent& event : events)
    answers.at(event.request - 1) += std::to_string(event.token) + " ";
  return answers;
}

class Combinations : public testing::TestWithParam<std::string> {};

// Drafting is the third dimension of this matrix as soon as the engine drafts.
TEST_P(Combinations, A13_every_graph_mode_and_chunking_gives_the_same_tokens) {
  std::vector<std::string> expected;
  for (const GraphMode mode : {GraphMode::eager, GraphMode::regions, GraphMode::whole})
    for (const int chunk : {kChunk, kWholePrompt}) {
      Options options = test_options(GetParam());
      options.model = test_model("t41");
      options.graph_mode = mode;
      options.layout = mode == GraphMode::regions ? Layout::layer_major : Layout::block_major;
      options.prefill_bucket = chunk;
      options.max_context = 128;
      const std::vector<std::string> got = answers(options);
      if (expected.empty()) expected = got;
      for (const std::string& answer : got)
        ASSERT_EQ(std::count(answer.begin(), answer.end(), ' '), kTokens);
      EXPECT_EQ(got, expected) << name_of(mode) << ", chunks of " << chunk;
    }
}

// The machine's best; tests/equality holds modes and chunkings of every backend to the same bits.
INSTANTIATE_TEST_SUITE_P(Backends, Combinations, testing::Values(backend_names().back()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
