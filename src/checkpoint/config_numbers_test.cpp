// Numbers of config.json are not trusted: every integer field against every kind of bad number.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "checkpoint/config_rules.h"
#include "checkpoint/fixture_test.h"
#include "deepinfer/error.h"
#include "deepinfer/model_config.h"

namespace deepinfer {
namespace {

using nlohmann::json;

const char* const kRequiredIntegers[] = {"vocab_size",
                                         "hidden_size",
                                         "moe_intermediate_size",
                                         "num_hidden_layers",
                                         "num_attention_heads",
                                         "head_dim",
                                         "qk_rope_head_dim",
                                         "q_lora_rank",
                                         "o_lora_rank",
                                         "o_groups",
                                         "max_position_embeddings",
                                         "n_routed_experts",
                                         "num_experts_per_tok",
                                         "sliding_window",
                                         "index_n_heads",
                                         "index_head_dim",
                                         "index_topk",
                                         "hc_mult",
                                         "hc_sinkhorn_iters",
                                         "engram_max_ngram_size",
                                         "engram_vocab_size",
                                         "engram_n_heads",
                                         "engram_head_dim",
                                         "engram_compressed_vocab_size"};

/// The config of t41 with a field of text_config replaced by literal text, which need not be a
/// value that a JSON library can hold.
std::string with_literal(const std::string& field, const std::string& literal) {
  json config = testing::t41_config();
  config["text_config"][field] = "@@";
  std::string text = config.dump();
  return text.replace(text.find("\"@@\""), 4, literal);
}

std::string message_for(const std::string& text) {
  return testing::error_of([&] { parse_config(text, "c"); });
}

TEST(ConfigNumbers, F10_integer_fields_take_positive_integers_only) {
  for (const std::string field : kRequiredIntegers) {
    for (const std::string literal :
         {"0", "-1", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "1.5",
          "true", "null", "1e400", "-1e400", "64.0"}) {
      EXPECT_EQ(message_for(with_literal(field, literal)),
                "[c] deepseek_v41 config: text_config." + field +
                    " must be a positive integer, got " + literal);
    }
    EXPECT_EQ(
        message_for(with_literal(field, "\"64\"")),
        "[c] deepseek_v41 config: text_config." + field + " must be a positive integer, got 64");
  }
}

TEST(ConfigNumbers, F10_required_integers_must_be_there) {
  for (const std::string field : kRequiredIntegers) {
    json config = testing::t41_config();
    config["text_config"].erase(field);
    EXPECT_EQ(message_for(config.dump()),
              "[c] deepseek_v41 config: missing field text_config." + field);
  }
}

TEST(ConfigNumbers, F10_values_that_would_overflow_products_are_refused_by_name) {
  for (const std::string field : kRequiredIntegers) {
    for (const std::string literal : {"9223372036854775807", "4294967296"}) {
      const std::string message = message_for(with_literal(field, literal));
      EXPECT_NE(
          message.find("text_config." + field + " " + literal + " is above the supported maximum "),
          std::string::npos)
          << message;
    }
  }
}

TEST(ConfigNumbers, F10_many_small_experts_are_refused_before_their_names_are_made) {
  json config = testing::t41_config();
  config["text_config"]["n_routed_experts"] = 16384;
  EXPECT_EQ(message_for(config.dump()),
            "[c] deepseek_v41 config: num_hidden_layers * n_routed_experts 163840 is above the "
            "supported maximum 131072");
}

TEST(ConfigNumbers, F10_optional_counts_must_be_whole) {
  EXPECT_EQ(message_for(with_literal("num_nextn_predict_layers", "-1")),
            "[c] deepseek_v41 config: text_config.num_nextn_predict_layers must be a positive "
            "integer, got -1");
  EXPECT_EQ(message_for(with_literal("candidate_source_layer_id", "1e400")),
            "[c] deepseek_v41 config: text_config.candidate_source_layer_id must be a positive "
            "integer, got 1e400");
  EXPECT_EQ(message_for(with_literal("engram_num_embeddings", "[660, -864]")),
            "[c] deepseek_v41 config: text_config.engram_num_embeddings must be a positive "
            "integer, got -864");
}

TEST(ConfigNumbers, F10_fractions_beyond_double_are_named) {
  EXPECT_EQ(message_for(with_literal("rope_theta", "1e400")),
            "[c] deepseek_v41 config: text_config.rope_theta must be a finite number, got 1e400");
}

TEST(ConfigText, F10_broken_json_is_one_named_error) {
  for (const std::string text : {"", "{", "[]", "null", "3", "\"x\"", "{\"a\":}", "{}{}", "\xff"}) {
    EXPECT_TRUE(message_for(text).starts_with("[c] deepseek_v41 config: ")) << text;
  }
  const std::string deep(100000, '[');
  EXPECT_EQ(message_for(deep), "[c] deepseek_v41 config: nested deeper than 32 levels");
  EXPECT_TRUE(message_for(std::string(std::size_t{5} << 20, ' '))
                  .starts_with("[c] deepseek_v41 config: file is too large"));
}

TEST(ConfigText, F10_duplicate_fields_are_refused) {
  std::string text = testing::t41_config().dump();
  text.replace(text.find("\"vocab_size\""), 12, "\"vocab_size\":1,\"vocab_size\"");
  EXPECT_EQ(message_for(text), "[c] deepseek_v41 config: duplicate field text_config.vocab_size");
}

TEST(ConfigText, F10_mutations_give_an_error_or_a_config_but_never_a_crash) {
  const std::string original = testing::t41_config().dump();
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return random() % n; };
  const std::string pieces[] = {
      "0", "-1",   "9223372036854775808", "1e400", "null", "[]", "{}", "\"", ",", "[[[[",
      "}", "99999"};
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = original;
    for (std::size_t edit = 0; edit <= below(2); ++edit) {
      const std::size_t at = below(text.size());
      text.replace(at, below(4), pieces[below(std::size(pieces))]);
    }
    try {
      parse_config(text, "c");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::bad_input);
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(ConfigRules, an_old_top_k_source_is_refused_where_lists_were_not_checked_first) {
  // Through parse_config() this cannot happen: every KV source is an index source there.
  ModelConfig config = parse_config(testing::t41_config().dump(), "c");
  config.index_source_layer_ids = {2, 4, 6, 8};
  EXPECT_EQ(testing::error_of([&] { check_layer_sources(config, "c"); }),
            "[c] deepseek_v41 config: layer 5: top-k source 4 is older than kv source 5");
}

}  // namespace
}  // namespace deepinfer
