#include "text/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace deepinfer {
namespace {

using Pieces = std::vector<std::string>;

Pieces pieces_of(std::string_view text) {
  PreTokenizer scanner(text);
  Pieces pieces;
  for (auto piece = scanner.next(); !piece.empty(); piece = scanner.next()) {
    pieces.emplace_back(piece);
  }
  return pieces;
}

// The table of prompting specification 1.4.
TEST(PreTokenizer, CutsTheWorkedExamples) {
  EXPECT_EQ(pieces_of("Hello, world!"), (Pieces{"Hello", ",", " world", "!"}));
  EXPECT_EQ(pieces_of("I'm can't DON'T"), (Pieces{"I", "'m", " can", "'t", " DON", "'T"}));
  EXPECT_EQ(pieces_of("x=12345+6.78"), (Pieces{"x", "=", "123", "45", "+", "6", ".", "78"}));
  EXPECT_EQ(pieces_of("price: $1,234.50\n\n  next"),
            (Pieces{"price", ":", " $", "1", ",", "234", ".", "50", "\n\n", " ", " next"}));
  EXPECT_EQ(pieces_of("  two  spaces\t\n \n end  "),
            (Pieces{" ", " two", " ", " spaces", "\t\n \n", " end", "  "}));
  EXPECT_EQ(pieces_of("a  1"), (Pieces{"a", "  ", "1"}));
  EXPECT_EQ(pieces_of("中文と日本語 mixed。"), (Pieces{"中文と日本語", " mixed", "。"}));
  EXPECT_EQ(pieces_of("foo_bar->baz();\r\n"), (Pieces{"foo", "_bar", "->", "baz", "();\r\n"}));
  EXPECT_EQ(pieces_of("２０２６年"), (Pieces{"２０２", "６", "年"}));
  EXPECT_EQ(pieces_of("🙂\u200D🙂 ok"), (Pieces{"🙂", "\u200D", "🙂", " ok"}));
  EXPECT_EQ(pieces_of("a.b.com/x?y=1"), (Pieces{"a", ".b", ".com", "/x", "?y", "=", "1"}));
  EXPECT_EQ(pieces_of("<｜DSML｜ invoke name=\"f\">"),
            (Pieces{"<｜", "DSML", "｜", " invoke", " name", "=\"", "f", "\">"}));
}

TEST(PreTokenizer, ScansCjkRunsAsTextsOfTheirOwn) {
  EXPECT_EQ(pieces_of("カ・タx"), (Pieces{"カ", "・", "タ", "x"}));
  EXPECT_EQ(pieces_of("x\u3099"), (Pieces{"x", "\u3099"}));  // a mark, but of the CJK run
  EXPECT_EQ(pieces_of(" 中"), (Pieces{" ", "中"}));
  EXPECT_EQ(pieces_of("龥龦"), (Pieces{"龥", "龦"}));
}

TEST(PreTokenizer, KeepsUnmatchedCharactersTogether) {
  EXPECT_EQ(pieces_of("a\x01\x02\u200D!"), (Pieces{"a", "\x01\x02\u200D", "!"}));
  EXPECT_EQ(pieces_of("\x01\x02z"), (Pieces{"\x01", "\x02z"}));  // one may lead a word
  EXPECT_EQ(pieces_of("\uE000 \uE000"), (Pieces{"\uE000", " ", "\uE000"}));
  EXPECT_EQ(pieces_of("\x01"
                      "7"),
            (Pieces{"\x01", "7"}));
}

TEST(PreTokenizer, TakesMarksWithLettersAndAlone) {
  EXPECT_EQ(pieces_of("e\u0301x"), (Pieces{"e\u0301x"}));
  EXPECT_EQ(pieces_of("\u0301"), (Pieces{"\u0301"}));
  EXPECT_EQ(pieces_of("!\u0301"), (Pieces{"!", "\u0301"}));
  EXPECT_EQ(pieces_of("\n\u0301"), (Pieces{"\n", "\u0301"}));
}

TEST(PreTokenizer, JoinsToTheTextAndStaysLinear) {
  const std::string spaces = std::string(1 << 20, ' ') + "a";
  EXPECT_EQ(pieces_of(spaces), (Pieces{std::string((1 << 20) - 1, ' '), " a"}));
  std::string mixed;
  for (int i = 0; i < 100000; ++i) mixed += "\x01 \n\t!";
  std::string joined;
  for (const auto& piece : pieces_of(mixed)) joined += piece;
  EXPECT_EQ(joined, mixed);
  EXPECT_TRUE(pieces_of("").empty());
}

}  // namespace
}  // namespace deepinfer
