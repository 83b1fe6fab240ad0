#include "core/printable_text.h"

#include <gtest/gtest.h>

#include "core/option_values.h"
#include "deepinfer/error.h"

namespace deepinfer {
namespace {

TEST(PrintableText, text_stays_as_it_is) {
  for (const char* text :
       {"", "plain \\ \"text\" ~", "é", "<｜User｜>", "日本", "🙂", "a\u00a0b"})
    EXPECT_EQ(printable_text(text), text);
}

TEST(PrintableText, controls_are_escaped) {
  EXPECT_EQ(printable_text(std::string("\0\t\n\x1b[0m\x7f", 8)), R"(\x00\x09\x0a\x1b[0m\x7f)");
  EXPECT_EQ(printable_text("\u009b1m"), R"(\xc2\x9b1m)");
  EXPECT_EQ(printable_text("a\u2028b\u202ec\u2066"), R"(a\xe2\x80\xa8b\xe2\x80\xaec\xe2\x81\xa6)");
  EXPECT_EQ(printable_text("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a");
}

TEST(PrintableText, bytes_that_are_no_utf8_are_escaped_one_by_one) {
  EXPECT_EQ(printable_text("\xff\xfe-\x80-\xc3"), R"(\xff\xfe-\x80-\xc3)");
  EXPECT_EQ(printable_text("\xc3(\xe2\x82 \xf0\x9f\x99"), R"(\xc3(\xe2\x82 \xf0\x9f\x99)");
  // Overlong, a surrogate, beyond Unicode.
  EXPECT_EQ(printable_text("\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf"),
            R"(\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf)");
  EXPECT_EQ(printable_text("\xed\xa0\x80 \xf4\x90\x80\x80"), R"(\xed\xa0\x80 \xf4\x90\x80\x80)");
}

TEST(PrintableText, long_text_loses_its_middle_between_characters) {
  EXPECT_EQ(printable_text("abcdef", 6), "abcdef");
  EXPECT_EQ(printable_text("abcdefg", 6), "abc…efg");
  EXPECT_EQ(printable_text("aééééb", 6), "aé…éb");
  EXPECT_EQ(printable_text("🙂🙂🙂", 6), "…");
  EXPECT_EQ(printable_text(std::string(9, '\xff'), 4), R"(\xff\xff…\xff\xff)");
  EXPECT_EQ(printable_text(std::string(9, '\x80'), 4), R"(\x80\x80…)");
}

TEST(PrintableText, leading_text_ends_with_a_whole_character) {
  EXPECT_EQ(leading_text("abc", 3), "abc");
  EXPECT_EQ(leading_text("abcd", 3), "abc");
  EXPECT_EQ(leading_text("aé", 2), "a");
  EXPECT_EQ(leading_text("aéb", 3), "aé");
  EXPECT_EQ(leading_text("ab🙂c", 5), "ab");
  EXPECT_EQ(leading_text("ab🙂c", 6), "ab🙂");
  EXPECT_EQ(leading_text("ab\xff\xff", 3), "ab\xff");
  EXPECT_EQ(leading_text("abc", 0), "");
}

TEST(PrintableText, quoted_values_are_escaped_and_cut_between_characters) {
  EXPECT_EQ(quoted_text("\xff\u009b\\"), R"("\xff\xc2\x9b\\")");
  EXPECT_EQ(quoted_text(std::string(79, 'a') + "é"), "\"" + std::string(79, 'a') + "…\"");
}

TEST(PrintableText, every_part_of_an_error_is_escaped_and_cut) {
  const Error error =
      Error::bad_input("a\x1b", "b\n", {.expected = "c\xff", .got = "d\u202e", .hint = "e\x80"});
  EXPECT_STREQ(error.what(), R"([a\x1b] b\x0a, expected c\xff, got d\xe2\x80\xae, e\x80)");
  EXPECT_EQ(error.where(), "a\x1b");  // for programs: as it was given
  const std::string endless(1000000, '\n');
  EXPECT_LT(std::string(Error::failed(endless, endless, {endless, endless, endless}).what()).size(),
            10000U);
}

}  // namespace
}  // namespace deepinfer
