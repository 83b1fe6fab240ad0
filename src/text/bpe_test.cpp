#include "text/bpe.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace deepinfer {
namespace {

using Ids = std::vector<std::int32_t>;

std::array<std::int32_t, 256> identity_bytes() {
  std::array<std::int32_t, 256> ids{};
  for (std::int32_t i = 0; i < 256; ++i) ids[static_cast<std::size_t>(i)] = i;
  return ids;
}

Ids encode(const Bpe& bpe, std::string_view piece) {
  Ids ids;
  bpe.encode(piece, ids);
  return ids;
}

// The definition, without any data structure.
Ids encode_naively(const std::vector<MergeRule>& rules, std::string_view piece) {
  Ids ids;
  for (const char c : piece) ids.push_back(static_cast<std::uint8_t>(c));
  for (bool merged = true; merged;) {
    merged = false;
    for (const MergeRule& rule : rules) {
      for (std::size_t i = 0; i + 1 < ids.size() && !merged; ++i) {
        if (ids[i] != rule.left || ids[i + 1] != rule.right) continue;
        ids[i] = rule.result;
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        merged = true;
      }
      if (merged) break;
    }
  }
  return ids;
}

TEST(Bpe, MergesLowestRankFirstAndLeftmostOnATie) {
  const Bpe bpe(identity_bytes(), {{'b', 'c', 300}, {'a', 'b', 301}, {'a', 'a', 302}});
  EXPECT_EQ(encode(bpe, "abc"), (Ids{'a', 300}));
  EXPECT_EQ(encode(bpe, "abd"), (Ids{301, 'd'}));
  EXPECT_EQ(encode(bpe, "aaa"), (Ids{302, 'a'}));
  EXPECT_EQ(encode(bpe, "x"), (Ids{'x'}));
  EXPECT_TRUE(encode(bpe, "").empty());
}

TEST(Bpe, WorksWithoutMerges) {
  const Bpe bpe(identity_bytes(), {});
  EXPECT_EQ(encode(bpe, "\xFF\x00"), (Ids{0xFF}));
  EXPECT_EQ(encode(bpe, std::string(100, 'q')), Ids(100, 'q'));
}

TEST(Bpe, ShortAndLongPiecesFollowTheDefinition) {
  std::mt19937 random(41);
  for (int round = 0; round < 200; ++round) {
    // Random merges over a three-letter alphabet; a result may be reached in several ways.
    std::vector<MergeRule> rules;
    std::vector<std::string> words(300);
    for (const char c : {'a', 'b', 'c'}) words[static_cast<std::size_t>(c)] = c;
    Ids known{'a', 'b', 'c'};
    for (std::int32_t next = 256; next < 290; ++next) {
      const std::int32_t left = known[random() % known.size()];
      const std::int32_t right = known[random() % known.size()];
      bool repeated = false;
      for (const MergeRule& rule : rules) repeated |= rule.left == left && rule.right == right;
      if (repeated) continue;
      const std::string word =
          words[static_cast<std::size_t>(left)] + words[static_cast<std::size_t>(right)];
      std::int32_t result = next;
      for (const std::int32_t id : known) {
        if (words[static_cast<std::size_t>(id)] == word) result = id;
      }
      if (result == next) known.push_back(next);
      words[static_cast<std::size_t>(result)] = word;
      rules.push_back({left, right, result});
    }
    const Bpe bpe(identity_bytes(), rules);
    for (const std::size_t length : {2U, 7U, 47U, 48U, 49U, 50U, 150U}) {
      std::string piece;
      for (std::size_t i = 0; i < length; ++i) piece.push_back("abc"[random() % 3]);
      ASSERT_EQ(encode(bpe, piece), encode_naively(rules, piece)) << piece;
    }
  }
}

TEST(MergeTable, OfTwoRulesForOnePairTheLaterCounts) {
  const MergeTable table({{1, 2, 3}, {4, 5, 6}, {1, 2, 7}});
  EXPECT_EQ(table.find(1, 2).rank, 2U);
  EXPECT_EQ(table.find(1, 2).result, 7);
  EXPECT_EQ(table.find(4, 5).rank, 1U);
  EXPECT_EQ(table.find(2, 1).rank, kNoRank);
}

}  // namespace
}  // namespace deepinfer
