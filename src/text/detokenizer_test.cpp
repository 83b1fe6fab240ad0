#include <gtest/gtest.h>

#include <random>
#include <string>

#include "deepinfer/error.h"
#include "deepinfer/tokenizer.h"

namespace deepinfer {
namespace {

std::shared_ptr<const Tokenizer> tiny() {
  static const auto tokenizer = Tokenizer::open("models/DeepInfer-V4.1-tiny");
  return tokenizer;
}

// The id of each single byte: "\xFF" is not valid text, so through the vocabulary.
std::int32_t byte_id(std::uint8_t byte) {
  for (std::int32_t id = 0; id < tiny()->vocab_size(); ++id) {
    if (tiny()->bytes(id) == std::string(1, static_cast<char>(byte))) return id;
  }
  return -1;
}

std::vector<std::int32_t> byte_ids(std::string_view text) {
  std::vector<std::int32_t> ids;
  for (const char c : text) ids.push_back(byte_id(static_cast<std::uint8_t>(c)));
  return ids;
}

TEST(Detokenizer, CharactersSplitAtEveryByteComeOutWhole) {
  for (const std::string character : {"é", "中", "🙂", "👩‍💻", "aé中🙂z"}) {
    Detokenizer detokenizer(tiny());
    std::string joined;
    for (const std::int32_t id : byte_ids(character)) {
      const std::string part = detokenizer.push(id);
      EXPECT_EQ(part.find("\xEF\xBF\xBD"), std::string::npos);
      joined += part;
      EXPECT_EQ(character.compare(0, joined.size(), joined), 0);
    }
    EXPECT_EQ(joined, character);  // sent with the last byte, not held until the flush
    EXPECT_EQ(detokenizer.flush(), "");
    EXPECT_EQ(tiny()->decode(byte_ids(character)), character);
  }
}

TEST(Detokenizer, AnImpossibleByteIsSentAtOnce) {
  Detokenizer detokenizer(tiny());
  EXPECT_EQ(detokenizer.push(byte_id('a')), "a");
  EXPECT_EQ(detokenizer.push(byte_id(0xFF)), "\uFFFD");
  EXPECT_EQ(detokenizer.push(byte_id('b')), "b");
  EXPECT_EQ(detokenizer.flush(), "");
}

TEST(Detokenizer, AnUnfinishedCharacterIsFlushedAsOneReplacement) {
  Detokenizer detokenizer(tiny());
  for (const std::uint8_t byte : {0xF0, 0x9F, 0x99}) EXPECT_EQ(detokenizer.push(byte_id(byte)), "");
  EXPECT_EQ(detokenizer.flush(), "\uFFFD");
  EXPECT_EQ(detokenizer.flush(), "");
}

TEST(Detokenizer, AnAddedTokenEndsAnUnfinishedCharacter) {
  Detokenizer detokenizer(tiny());
  EXPECT_EQ(detokenizer.push(byte_id(0xE4)), "");
  EXPECT_EQ(detokenizer.push(*tiny()->added_token("</think>")), "\uFFFD</think>");
  EXPECT_EQ(detokenizer.push(byte_id(0xB8)), "\uFFFD");
}

TEST(Detokenizer, RandomStreamsEqualDecodeInOnePiece) {
  std::mt19937 random(41);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 40; ++i) {
      const int limit = random() % 4 != 0 ? 259 : tiny()->vocab_size();  // mostly single bytes
      ids.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(limit)));
    }
    Detokenizer detokenizer(tiny());
    std::string joined;
    for (const std::int32_t id : ids) joined += detokenizer.push(id);
    joined += detokenizer.flush();
    ASSERT_EQ(joined, tiny()->decode(ids));
  }
}

TEST(Detokenizer, AnIdOutsideTheVocabularyIsAnError) {
  Detokenizer detokenizer(tiny());
  EXPECT_THROW(detokenizer.push(-1), Error);
  EXPECT_THROW(detokenizer.push(tiny()->vocab_size()), Error);
  EXPECT_THROW(tiny()->decode({5, tiny()->vocab_size()}), Error);
  EXPECT_THROW(tiny()->decode({-1}), Error);
}

}  // namespace
}  // namespace deepinfer
