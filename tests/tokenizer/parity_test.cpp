// The bundled tokenizer against the ids of the reference library, replayed from a committed file.

#include <gtest/gtest.h>

#include "replay_cases.h"

namespace deepinfer {
namespace {

TEST(TokenizerParity, BundledModelGivesTheIdsOfTheReferenceLibrary) {
  const auto tokenizer = Tokenizer::open("models/DeepInfer-V4.1-tiny");
  const ReplayResult result = replay_cases(tokenizer, "tests/data/tokenizer/tiny_cases.json");
  EXPECT_GT(result.texts, 4000U);
  EXPECT_GT(result.decodes, 150U);
  EXPECT_EQ(result.mismatches.size(), 0U) << result.mismatches.front();
}

}  // namespace
}  // namespace deepinfer
