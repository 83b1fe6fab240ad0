#include "text/stop_matcher.h"

#include <gtest/gtest.h>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

struct Result {
  std::string text;
  bool stopped;
  std::string matched;
  bool operator==(const Result&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Result& r) {
  out << '"' << r.text << "\" stopped=" << r.stopped << " by \"" << r.matched << '"';
  return out;
}

Result run(const std::vector<std::string>& stops, const std::vector<std::string>& chunks) {
  StopMatcher matcher(stops);
  std::string text;
  for (const std::string& chunk : chunks) text += matcher.push(chunk);
  text += matcher.finish();
  return {text, matcher.stopped(), matcher.matched()};
}

struct StopCase {
  std::vector<std::string> stops;
  std::string in;
  Result expected;
};

const StopCase kStopCases[] = {
    {{}, "abc", {"abc", false, ""}},
    {{"STOP"}, "abc", {"abc", false, ""}},
    {{"STOP"}, "one STOP two STOP", {"one ", true, "STOP"}},
    {{"STOP"}, "STOP", {"", true, "STOP"}},
    {{"STOP"}, "STSTOP", {"ST", true, "STOP"}},
    {{"STOP"}, "ends in STO", {"ends in STO", false, ""}},
    {{"\n\n"}, "a\nb\n\nc", {"a\nb", true, "\n\n"}},
    {{"aab"}, "aaaab", {"aa", true, "aab"}},
    {{"two", "one"}, "xx one two", {"xx ", true, "one"}},
    // The earlier start wins although the other string is complete before it.
    {{"b", "abcd"}, "xabcd", {"x", true, "abcd"}},
    {{"b", "abcd"}, "xabce", {"xa", true, "b"}},
    {{"b", "abcd"}, "xabc", {"xa", true, "b"}},
    // Two at one start: the shorter one is reported.
    {{"abc", "ab"}, "xabcd", {"x", true, "ab"}},
    {{"。"}, "你好。再见", {"你好", true, "。"}},
    {{"🙂"}, "a🙃🙂b", {"a🙃", true, "🙂"}},
    {{std::string("\0x", 2)},
     std::string("a\0\0xb", 5),
     {std::string("a\0", 2), true, std::string("\0x", 2)}},
};

TEST(StopMatcher, FindsTheEarliestAtEverySplit) {
  for (const StopCase& c : kStopCases) {
    EXPECT_EQ(run(c.stops, {c.in}), c.expected);
    std::vector<std::string> bytes;
    for (const char byte : c.in) bytes.emplace_back(1, byte);
    EXPECT_EQ(run(c.stops, bytes), c.expected);
    for (std::size_t i = 0; i <= c.in.size(); ++i) {
      for (std::size_t j = i; j <= c.in.size(); ++j) {
        EXPECT_EQ(run(c.stops, {c.in.substr(0, i), c.in.substr(i, j - i), c.in.substr(j)}),
                  c.expected);
      }
    }
  }
}

TEST(StopMatcher, HoldsBackNoMoreThanItMust) {
  StopMatcher matcher({"STOP", "\n\n"});
  EXPECT_EQ(matcher.push("abc"), "abc");
  EXPECT_EQ(matcher.push(" S"), " ");
  EXPECT_EQ(matcher.push("T"), "");
  EXPECT_EQ(matcher.push("x"), "STx");
  EXPECT_EQ(matcher.push("\n"), "");
  EXPECT_EQ(matcher.push("S"), "\n");
  EXPECT_EQ(matcher.push("TOP and more"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.push("more"), "");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, RejectsAnEmptyString) {
  try {
    StopMatcher matcher({"a", ""});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "stop[1]");
  }
}

}  // namespace
}  // namespace deepinfer
