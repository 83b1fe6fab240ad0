#include "text/added_tokens.h"

#include <gtest/gtest.h>

namespace deepinfer {
namespace {

TEST(AddedTokenMatcher, TakesTheLeftmostAndThenTheLongest) {
  const AddedTokenMatcher matcher({{"<a>", 1}, {"<a>b", 2}, {"a>b", 3}, {"b", 4}, {"\xFF", 5}});
  const auto match = matcher.find("x<a>bb", 0);
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->position, 1U);
  EXPECT_EQ(match->length, 4U);
  EXPECT_EQ(match->id, 2);
  EXPECT_EQ(matcher.find("x<a>bb", 5)->id, 4);
  EXPECT_EQ(matcher.find("<a>", 0)->id, 1);
  EXPECT_FALSE(matcher.find("<a", 0).has_value());
  EXPECT_EQ(matcher.find("a>\xFF", 0)->position, 2U);
  EXPECT_FALSE(matcher.find("b", 1).has_value());
}

TEST(AddedTokenMatcher, FallsBackToAShorterSpelling) {
  const AddedTokenMatcher matcher({{"ab", 1}, {"abcd", 2}, {"bcx", 3}});
  EXPECT_EQ(matcher.find("abcx", 0)->id, 1);
  EXPECT_EQ(matcher.find("abcx", 1)->id, 3);
}

TEST(AddedTokenMatcher, WithoutTokensFindsNothing) {
  EXPECT_FALSE(AddedTokenMatcher({}).find("anything", 0).has_value());
}

}  // namespace
}  // namespace deepinfer
