#include "checkpoint/engram_layout.h"

#include <gtest/gtest.h>

#include <limits>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

EngramConfig released_engram() {
  EngramConfig config;
  config.layer_ids = {1, 14};
  config.max_ngram_size = 4;
  config.vocab_size = 16000000;
  config.n_heads = 8;
  return config;
}

TEST(EngramLayout, reproduces_the_primes_of_the_released_model) {
  const auto layouts = engram_layouts(released_engram());
  ASSERT_EQ(layouts.size(), 2U);
  const std::vector<std::int64_t> layer1 = {
      16000057, 16000079, 16000081, 16000097, 16000121, 16000129, 16000133, 16000183,
      16000189, 16000207, 16000211, 16000253, 16000277, 16000289, 16000307, 16000321,
      16000339, 16000381, 16000393, 16000399, 16000403, 16000409, 16000447, 16000463};
  const std::vector<std::int64_t> layer14 = {
      16000477, 16000487, 16000499, 16000507, 16000511, 16000573, 16000609, 16000627,
      16000667, 16000669, 16000693, 16000697, 16000711, 16000729, 16000759, 16000769,
      16000781, 16000799, 16000813, 16000819, 16000841, 16000877, 16000879, 16000889};
  EXPECT_EQ(layouts[0].primes, layer1);
  EXPECT_EQ(layouts[1].primes, layer14);
  EXPECT_EQ(layouts[0].rows(), 384006168);
  EXPECT_EQ(layouts[1].rows(), 384016682);
}

TEST(EngramLayout, offsets_restart_in_every_layer) {
  const auto layouts = engram_layouts(released_engram());
  EXPECT_EQ(layouts[0].offsets.front(), 0);
  EXPECT_EQ(layouts[0].offsets[8], 128000880);
  EXPECT_EQ(layouts[0].offsets[23], 368005705);
  EXPECT_EQ(layouts[1].offsets.front(), 0);
  EXPECT_EQ(layouts[1].offsets[16], 256009984);
  EXPECT_EQ(layouts[1].offsets[23], 368015793);
}

TEST(EngramLayout, starts_at_the_smallest_prime_not_below_the_start) {
  EngramConfig config;
  config.layer_ids = {0};
  config.max_ngram_size = 3;
  config.n_heads = 3;
  config.vocab_size = 1;
  EXPECT_EQ(engram_layouts(config)[0].primes, (std::vector<std::int64_t>{2, 3, 5, 7, 11, 13}));
  config.vocab_size = 7;
  EXPECT_EQ(engram_layouts(config)[0].primes, (std::vector<std::int64_t>{7, 11, 13, 17, 19, 23}));
  config.vocab_size = 24;
  EXPECT_EQ(engram_layouts(config)[0].primes, (std::vector<std::int64_t>{29, 31, 37, 41, 43, 47}));
}

TEST(EngramLayout, is_empty_without_engram_layers) {
  EXPECT_TRUE(engram_layouts(EngramConfig{}).empty());
}

TEST(EngramLayout, F10_refuses_absurd_sizes_instead_of_searching) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-5}, kMaxEngramVocabSize + 1,
                                  std::numeric_limits<std::int64_t>::max()}) {
    EngramConfig config = released_engram();
    config.vocab_size = size;
    EXPECT_THROW(engram_layouts(config), Error) << size;
  }
  EngramConfig config = released_engram();
  config.max_ngram_size = std::numeric_limits<int>::max();
  EXPECT_THROW(engram_layouts(config), Error);
  config = released_engram();
  config.n_heads = std::numeric_limits<int>::max();
  EXPECT_THROW(engram_layouts(config), Error);
  config = released_engram();
  config.layer_ids.resize(171);  // 171 * 24 columns = 4104
  EXPECT_THROW(engram_layouts(config), Error);
}

TEST(EngramLayout, the_largest_allowed_layout_is_found_quickly) {
  EngramConfig config = released_engram();
  config.vocab_size = kMaxEngramVocabSize;
  config.layer_ids.resize(170);
  const auto layouts = engram_layouts(config);
  EXPECT_EQ(layouts[0].primes[0], 268435459);  // the first prime above 2^28
  EXPECT_GT(layouts.back().primes.back(), layouts.front().primes.back());
}

}  // namespace
}  // namespace deepinfer
