#include "core/option_values.h"

#include <gtest/gtest.h>

#include <limits>

namespace deepinfer {
namespace {

constexpr ValueContext kContext = {"--flag", "something"};

/// The error text of `parse`, or "" if it does not throw.
template <typename Parse>
std::string parse_error(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_EQ(error.where(), "--flag");
    return error.what();
  }
  return "";
}

TEST(OptionValues, integers_are_read_whole_or_refused) {
  EXPECT_EQ(parse_integer(kContext, "1", 1, 16), 1);
  EXPECT_EQ(parse_integer(kContext, "16", 1, 16), 16);
  EXPECT_EQ(parse_integer(kContext, "-3", -4, 16), -3);
  EXPECT_EQ(parse_integer(kContext, "007", 1, 16), 7);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "1e1", "0x1", "one", "1k", "--1", "1\n"})
    EXPECT_EQ(parse_error([&] {
                parse_integer(kContext, text, 1, 16);
              }).rfind("[--flag] not a whole number, expected something, got \"", 0),
              0U)
        << text;
  for (const char* text : {"0", "17", "-1", "9223372036854775808", "99999999999999999999999"})
    EXPECT_EQ(parse_error([&] { parse_integer(kContext, text, 1, 16); }),
              "[--flag] out of range, expected something, got \"" + std::string(text) + "\"");
}

TEST(OptionValues, B16_unsigned_keeps_all_64_bits) {
  EXPECT_EQ(parse_unsigned(kContext, "9007199254740993"), 9007199254740993U);  // 2^53 + 1
  EXPECT_EQ(parse_unsigned(kContext, "18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_NE(parse_error([] { parse_unsigned(kContext, "18446744073709551616"); }), "");
  EXPECT_NE(parse_error([] { parse_unsigned(kContext, "-1"); }), "");
}

TEST(OptionValues, bytes_take_one_unit_letter) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  EXPECT_EQ(parse_bytes(kContext, "1000", kMost), 1000);
  EXPECT_EQ(parse_bytes(kContext, "3k", kMost), 3072);
  EXPECT_EQ(parse_bytes(kContext, "5M", kMost), 5242880);
  EXPECT_EQ(parse_bytes(kContext, "4G", kMost), 4294967296);
  EXPECT_EQ(parse_bytes(kContext, "1048576G", kMost), kMost);
  for (const char* text : {"", "K", "4GB", "4 G", "1.5G", "4T", "G4", "-1", "0", "0G", "-1G",
                           "1048577G", "9223372036854775807G", "99999999999999999999"})
    EXPECT_NE(parse_error([&] { parse_bytes(kContext, text, kMost); }), "") << text;
}

TEST(OptionValues, bytes_text_reads_back) {
  EXPECT_EQ(bytes_text(4294967296), "4G");
  EXPECT_EQ(bytes_text(1536 << 20), "1536M");
  EXPECT_EQ(bytes_text(1024), "1K");
  EXPECT_EQ(bytes_text(1025), "1025");
  EXPECT_EQ(bytes_text(0), "0");
}

TEST(OptionValues, reals_are_finite_and_whole) {
  EXPECT_EQ(parse_real(kContext, "0.1"), 0.1F);
  EXPECT_EQ(parse_real(kContext, "-2"), -2.0F);
  EXPECT_EQ(parse_real(kContext, "1e-3"), 0.001F);
  for (const char* text :
       {"", "nan", "inf", "-inf", "infinity", "1e39", "1e-60", "0.5x", " 1", "0,5", "0x1p3"})
    EXPECT_NE(parse_error([&] { parse_real(kContext, text); }), "") << text;
  for (const float value : {0.1F, 0.95F, 1.0F, 1e-30F, 3.4028235e38F})
    EXPECT_EQ(parse_real(kContext, real_text(value)), value);
  EXPECT_EQ(real_text(0.95F), "0.95");
}

TEST(OptionValues, bools_take_four_spellings_each) {
  for (const char* text : {"true", "1", "on", "yes"}) EXPECT_TRUE(parse_bool(kContext, text));
  for (const char* text : {"false", "0", "off", "no"}) EXPECT_FALSE(parse_bool(kContext, text));
  for (const char* text : {"", "True", "2", "y", "true "})
    EXPECT_NE(parse_error([&] { parse_bool(kContext, text); }), "") << text;
}

TEST(OptionValues, quoted_text_fits_one_line) {
  EXPECT_EQ(quoted_text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quoted_text("line\nbreak\x1b[0m"), "\"line\\x0abreak\\x1b[0m\"");
  EXPECT_EQ(quoted_text(std::string(1000, 'a')), "\"" + std::string(80, 'a') + "…\"");
}

}  // namespace
}  // namespace deepinfer
