#include "deepinfer/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

using Ids = std::vector<std::int32_t>;

std::shared_ptr<const Tokenizer> tiny() {
  static const auto tokenizer = Tokenizer::open("models/DeepInfer-V4.1-tiny");
  return tokenizer;
}

TEST(Tokenizer, TellsWhatAnIdIs) {
  EXPECT_EQ(tiny()->vocab_size(), 3072);
  EXPECT_EQ(tiny()->added_token("<｜User｜>"), 3044);
  EXPECT_EQ(tiny()->added_token("<｜User"), std::nullopt);
  EXPECT_EQ(tiny()->piece(3044), "<｜User｜>");
  EXPECT_EQ(tiny()->bytes(3044), "<｜User｜>");
  EXPECT_TRUE(tiny()->is_added(3044));
  EXPECT_TRUE(tiny()->is_added(0));
  EXPECT_EQ(tiny()->bytes(0), "<｜begin▁of▁sentence｜>");
  const std::int32_t space = tiny()->encode(" ", false).at(0);
  EXPECT_EQ(tiny()->piece(space), "Ġ");
  EXPECT_EQ(tiny()->bytes(space), " ");
  EXPECT_FALSE(tiny()->is_added(space));
  for (const std::int32_t outside : {-1, 3072, 1 << 30}) {
    EXPECT_EQ(tiny()->piece(outside), std::nullopt);
    EXPECT_EQ(tiny()->bytes(outside), "");
    EXPECT_FALSE(tiny()->is_added(outside));
  }
}

TEST(Tokenizer, RecognisesAddedTokensOnlyWhenAsked) {
  const Ids with = tiny()->encode("a<think>b", true);
  EXPECT_EQ(with, (Ids{tiny()->encode("a", false).at(0), 3047, tiny()->encode("b", false).at(0)}));
  const Ids without = tiny()->encode("a<think>b", false);
  for (const std::int32_t id : without) EXPECT_FALSE(tiny()->is_added(id));
  EXPECT_EQ(tiny()->decode(without), "a<think>b");
}

TEST(Tokenizer, RepairsBrokenText) {
  EXPECT_EQ(tiny()->encode("a\xFF\xE4\xB8z", true), tiny()->encode("a\uFFFD\uFFFDz", true));
  EXPECT_TRUE(tiny()->encode("", true).empty());
}

TEST(Tokenizer, EncodesInSeveralThreadsAtOnce) {
  const std::string text = "Alice was beginning to get very tired 12345 中文 🙂 <think>\n";
  const Ids expected = tiny()->encode(text, true);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  threads.reserve(wrong.size());
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) count += tiny()->encode(text, true) != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::vector<int>(4, 0)));
}

TEST(Tokenizer, AMissingFileIsAnErrorThatNamesIt) {
  try {
    Tokenizer::open("tests/data/no-such-model");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_NE(std::string(error.what()).find("tests/data/no-such-model/tokenizer.json"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace deepinfer
