#include "text/utf8.h"

#include <gtest/gtest.h>

namespace deepinfer {
namespace {

using namespace std::string_literals;

constexpr const char* kR = "\xEF\xBF\xBD";

std::string times(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += kR;
  return text;
}

TEST(Utf8, EveryScalarValueRoundTripsAndNoOtherIsValid) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    std::string text;
    append_utf8(text, code);
    const Utf8Step step = decode_utf8(text, 0);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    ASSERT_EQ(step.valid, !surrogate) << static_cast<unsigned>(code);
    if (surrogate) continue;
    ASSERT_EQ(step.code_point, code);
    ASSERT_EQ(step.length, text.size());
  }
}

TEST(Utf8, RepairsOnePerMaximalInvalidSubpart) {
  EXPECT_EQ(repair_utf8("a\x80z"s), "a" + times(1) + "z");
  EXPECT_EQ(repair_utf8("\xC0\x80"s), times(2));          // overlong
  EXPECT_EQ(repair_utf8("\xE0\x80\x80"s), times(3));      // overlong
  EXPECT_EQ(repair_utf8("\xED\xA0\x80"s), times(3));      // surrogate
  EXPECT_EQ(repair_utf8("\xF4\x90\x80\x80"s), times(4));  // above U+10FFFF
  EXPECT_EQ(repair_utf8("\xF0\x9F\x99"
                        "a"s),
            times(1) + "a");  // truncated: one
  EXPECT_EQ(repair_utf8("\xE2\x82\xE2\x82\xAC"s), times(1) + "€");
  EXPECT_EQ(repair_utf8("\xF8\x88\xFF"s), times(3));
  EXPECT_EQ(repair_utf8("\xC3"s), times(1));
  EXPECT_EQ(repair_utf8(""), "");
}

TEST(Utf8, FindsWhereValidTextEnds) {
  EXPECT_EQ(valid_utf8_prefix("12345678é\xFFx"), 10U);
  EXPECT_TRUE(is_valid_utf8("123456789 é中🙂"));
  EXPECT_FALSE(is_valid_utf8("12345678\xE4\xB8"));
}

TEST(Utf8, IncompleteSuffixIsWhatMoreBytesCouldComplete) {
  EXPECT_EQ(incomplete_suffix_length(""), 0U);
  EXPECT_EQ(incomplete_suffix_length("a"), 0U);
  EXPECT_EQ(incomplete_suffix_length("é"), 0U);
  EXPECT_EQ(incomplete_suffix_length("a\xC3"), 1U);
  EXPECT_EQ(incomplete_suffix_length("a\xE4\xB8"), 2U);
  EXPECT_EQ(incomplete_suffix_length("\xF0\x9F\x99"), 3U);
  EXPECT_EQ(incomplete_suffix_length("\xF0\x80"), 0U);  // can never become valid
  EXPECT_EQ(incomplete_suffix_length("\xED\xA0"), 0U);
  EXPECT_EQ(incomplete_suffix_length("\x80\x80\x80"), 0U);
  EXPECT_EQ(incomplete_suffix_length("\xE2\x82\xC3"), 1U);
  EXPECT_EQ(incomplete_suffix_length("\xFF"), 0U);
}

}  // namespace
}  // namespace deepinfer
