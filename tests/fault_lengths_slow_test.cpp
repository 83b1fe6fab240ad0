// Fault B2 at full length: what the fast tests only sample.

#include <gtest/gtest.h>

#include "tests/support/test_runtime.h"

namespace deepinfer {
namespace {

class EveryPrefix : public testing::TestWithParam<std::string> {};

TEST_P(EveryPrefix, B2_decoding_equals_reading_the_text_as_a_prompt) {
  constexpr std::size_t kLength = 200;
  Options options = test_options(GetParam());
  options.block_tokens = 16;
  options.max_batch = 2;  // two sequences at a time
  options.prefill_bucket = 64;
  const std::vector<std::int32_t> tokens = random_tokens(94, kLength);
  const auto runtime = open_runtime("t41", options);
  SequenceRun decoding(*runtime, kLength);
  for (std::size_t prefix = 1; prefix <= kLength; ++prefix) {
    const std::vector<float> decoded = feed(decoding, *runtime, {&tokens[prefix - 1], 1});
    ASSERT_TRUE(same_bits(decoded, last_logits(*runtime, {tokens.data(), prefix})))
        << prefix << " tokens";
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, EveryPrefix, testing::Values("reference", "cpu"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace deepinfer
