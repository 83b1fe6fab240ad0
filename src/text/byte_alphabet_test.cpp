#include "text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace deepinfer {
namespace {

TEST(ByteAlphabet, IsOneToOneAndPrintableBytesStandForThemselves) {
  std::set<char32_t> seen;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t character = byte_to_character(static_cast<std::uint8_t>(byte));
    EXPECT_TRUE(seen.insert(character).second);
    EXPECT_EQ(character_to_byte(character), byte);
  }
  EXPECT_EQ(byte_to_character('!'), U'!');
  EXPECT_EQ(byte_to_character(' '), U'Ġ');
  EXPECT_EQ(byte_to_character('\n'), U'Ċ');
  EXPECT_EQ(byte_to_character(0x00), char32_t{0x100});
  EXPECT_EQ(byte_to_character(0xAD), char32_t{0x143});  // the last of the 68
  EXPECT_EQ(byte_to_character(0xFF), U'ÿ');
}

TEST(ByteAlphabet, SpellsAndUnspells) {
  EXPECT_EQ(spell_bytes(" é\n"), "ĠÃ©Ċ");
  EXPECT_EQ(unspell_bytes("ĠÃ©Ċ"), " é\n");
  EXPECT_EQ(unspell_bytes("a b"), std::nullopt);  // a space spells no byte
  EXPECT_EQ(unspell_bytes("<｜User｜>"), std::nullopt);
  EXPECT_EQ(unspell_bytes("a\xC4"), std::nullopt);
}

}  // namespace
}  // namespace deepinfer
