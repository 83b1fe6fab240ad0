#include "deepinfer/error.h"

#include <gtest/gtest.h>

namespace deepinfer {
namespace {

TEST(Error, text_names_where_what_expected_got_and_hint) {
  const Error error = Error::bad_input("config.json", "wrong layer count",
                                       {.expected = "40", .got = "41", .hint = "see 1.2"});
  EXPECT_STREQ(error.what(), "[config.json] wrong layer count, expected 40, got 41, see 1.2");
  EXPECT_EQ(error.where(), "config.json");
  EXPECT_EQ(error.kind(), Error::Kind::bad_input);
}

TEST(Error, empty_parts_are_left_out) {
  EXPECT_STREQ(Error::failed("disk", "full").what(), "[disk] full");
  EXPECT_EQ(Error::failed("disk", "full").kind(), Error::Kind::failed);
  EXPECT_STREQ(Error::failed("a", "b", {.expected = "", .got = "1", .hint = ""}).what(),
               "[a] b, got 1");
}

}  // namespace
}  // namespace deepinfer
