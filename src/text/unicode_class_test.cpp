#include "text/unicode_class.h"

#include <gtest/gtest.h>

namespace deepinfer {
namespace {

using namespace unicode_class;

std::uint8_t flags(char32_t code_point) { return UnicodeClassTable::instance().flags(code_point); }

TEST(UnicodeClass, KnowsTheGeneralCategories) {
  EXPECT_EQ(flags('a'), kLetter);
  EXPECT_EQ(flags(U'ʰ'), kLetter);
  EXPECT_EQ(flags(0x301), kMark);
  EXPECT_EQ(flags(0x20DD), kMark);
  EXPECT_EQ(flags('7'), kNumber);
  EXPECT_EQ(flags(U'Ⅻ'), kNumber);
  EXPECT_EQ(flags(U'½'), kNumber);
  EXPECT_EQ(flags('_'), kPunctuation);
  EXPECT_EQ(flags('+'), kSymbol);
  EXPECT_EQ(flags(U'🙂'), kSymbol);
  EXPECT_EQ(flags(0x200D), 0);    // format
  EXPECT_EQ(flags(0xE000), 0);    // private use
  EXPECT_EQ(flags(0x10FFFF), 0);  // noncharacter
}

TEST(UnicodeClass, KnowsWhiteSpaceAndLineEnds) {
  EXPECT_EQ(flags(' '), kWhiteSpace);
  EXPECT_EQ(flags('\t'), kWhiteSpace);
  EXPECT_EQ(flags('\n'), kWhiteSpace | kLineEnd);
  EXPECT_EQ(flags('\r'), kWhiteSpace | kLineEnd);
  EXPECT_EQ(flags(0x85), kWhiteSpace);
  EXPECT_EQ(flags(0x3000), kWhiteSpace);
  EXPECT_EQ(flags(0x180E), 0);  // not since Unicode 6.3
  EXPECT_EQ(flags(0x200B), 0);
  int count = 0;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) count += (flags(code) & kWhiteSpace) != 0;
  EXPECT_EQ(count, 25);
}

TEST(UnicodeClass, KnowsTheRangesOfStageTwo) {
  EXPECT_EQ(flags(0x4E00), kLetter | kCjk);
  EXPECT_EQ(flags(0x9FA5), kLetter | kCjk);
  EXPECT_EQ(flags(0x9FA6), kLetter);
  EXPECT_EQ(flags(0x3040), kCjk);  // unassigned, but in the range
  EXPECT_EQ(flags(0x30FB), kPunctuation | kCjk);
  EXPECT_EQ(flags(0x30FF), kLetter | kCjk);
  EXPECT_EQ(flags(0x3100), 0);
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    ASSERT_NE(flags(code) & (kNumber | kCjk), kNumber | kCjk);  // PreTokenizer relies on it
  }
}

}  // namespace
}  // namespace deepinfer
