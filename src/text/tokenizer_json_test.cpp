#include "text/tokenizer_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "deepinfer/error.h"
#include "deepinfer/tokenizer.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;

const std::string& tiny_text() {
  static const std::string text = [] {
    std::ifstream file("models/DeepInfer-V4.1-tiny/tokenizer.json", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return text;
}

/// The error text that the bundled file gives after `change`; empty if it is accepted.
std::string error_after(const std::function<void(Json&)>& change) {
  Json json = Json::parse(tiny_text());
  change(json);
  try {
    Tokenizer::parse(json.dump(), "file");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::bad_input);
    EXPECT_EQ(error.where(), "file");
    return error.what();
  }
  return "";
}

void expect_names(const std::string& error, std::string_view field) {
  EXPECT_NE(error.find(field), std::string::npos) << "not about " << field << ": " << error;
}

TEST(TokenizerJson, NamesThePipelineFieldThatDiffers) {
  const auto stage = [](Json& j, std::size_t i) -> Json& {
    return j["pre_tokenizer"]["pretokenizers"][i];
  };
  expect_names(error_after([](Json& j) {
                 j["normalizer"] = {{"type", "NFC"}};
               }),
               "normalizer.type");
  expect_names(error_after([](Json& j) {
                 j["normalizer"]["normalizers"] = {{{"type", "NFC"}}};
               }),
               "normalizer.normalizers");
  expect_names(error_after([](Json& j) { j["pre_tokenizer"]["type"] = "Split"; }),
               "pre_tokenizer.type");
  expect_names(error_after([](Json& j) { j["pre_tokenizer"] = nullptr; }), "pre_tokenizer");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string path = "pre_tokenizer.pretokenizers[" + std::to_string(i) + "]";
    expect_names(error_after([&](Json& j) { stage(j, i)["pattern"]["Regex"] = "\\s+"; }),
                 path + ".pattern.Regex");
    expect_names(error_after([&](Json& j) { stage(j, i)["behavior"] = "Removed"; }),
                 path + ".behavior");
    expect_names(error_after([&](Json& j) { stage(j, i)["invert"] = true; }), path + ".invert");
  }
  expect_names(error_after([&](Json& j) { stage(j, 3)["use_regex"] = true; }), "[3].use_regex");
  expect_names(error_after([&](Json& j) { stage(j, 3).erase("add_prefix_space"); }),
               "[3].add_prefix_space");
  expect_names(error_after([](Json& j) { j["pre_tokenizer"]["pretokenizers"].erase(3); }),
               "pre_tokenizer.pretokenizers");
  expect_names(error_after([](Json& j) { j["decoder"]["type"] = "WordPiece"; }), "decoder.type");
  expect_names(error_after([](Json& j) { j["post_processor"]["type"] = "TemplateProcessing"; }),
               "post_processor.type");
}

TEST(TokenizerJson, NamesTheModelFieldThatDiffers) {
  expect_names(error_after([](Json& j) { j["model"]["type"] = "Unigram"; }), "model.type");
  expect_names(error_after([](Json& j) { j["model"]["dropout"] = 0.1; }), "model.dropout");
  expect_names(error_after([](Json& j) { j["model"]["byte_fallback"] = true; }),
               "model.byte_fallback");
  expect_names(error_after([](Json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }),
               "model.end_of_word_suffix");
  expect_names(error_after([](Json& j) { j["model"]["ignore_merges"] = 1; }),
               "model.ignore_merges");
  expect_names(error_after([](Json& j) { j.erase("model"); }), "model");
  expect_names(error_after([](Json& j) { j["model"]["vocab"] = Json::array(); }), "model.vocab");
  expect_names(error_after([](Json& j) { j["model"]["vocab"].erase("Ġ"); }), "byte 32");
  expect_names(error_after([](Json& j) { j["model"]["vocab"]["zz"] = 5; }), "id 5");
  for (const Json& id : {Json(-1), Json(1.5), Json("7"), Json(nullptr), Json(1U << 31),
                         Json(18446744073709551615ULL)}) {
    expect_names(error_after([&](Json& j) { j["model"]["vocab"]["zz"] = id; }), "model.vocab");
  }
}

TEST(TokenizerJson, NamesTheBrokenMerge) {
  const auto with_merge = [](const Json& merge) {
    return error_after([&](Json& j) { j["model"]["merges"][7] = merge; });
  };
  for (const Json& merge : {Json("ab"), Json("a b c"), Json({"a"}), Json({"a", "b", "c"}), Json(3),
                            Json({1, 2}), Json({"a", "\u4e00"}), Json("Q Q")}) {
    expect_names(with_merge(merge), "model.merges[7]");
  }
  expect_names(error_after([](Json& j) { j["model"]["merges"] = "a b"; }), "model.merges");
}

TEST(TokenizerJson, NamesTheAddedTokenThatIsWrong) {
  const auto with = [](const char* name, const Json& value) {
    return error_after([&](Json& j) { j["added_tokens"][4][name] = value; });
  };
  expect_names(with("content", ""), "added_tokens[4].content");
  expect_names(with("content", 3), "added_tokens[4].content");
  expect_names(with("content", "<｜User｜>"), "content");      // twice
  expect_names(with("content", "the"), "added_tokens[4].id");  // in the vocabulary under another id
  expect_names(with("id", 300), "added_tokens[4].id");         // the id of a word
  expect_names(with("id", 1 << 20), "added_tokens[4].id");
  expect_names(with("lstrip", true), "added_tokens[4].lstrip");
  expect_names(with("single_word", true), "added_tokens[4].single_word");
  expect_names(with("normalized", "yes"), "added_tokens[4].normalized");
  expect_names(error_after([](Json& j) { j["added_tokens"] = 1; }), "added_tokens");
}

TEST(TokenizerJson, AcceptsEveryWriterOfTheSameTokenizer) {
  const auto expected = Tokenizer::parse(tiny_text(), "file");
  Json json = Json::parse(tiny_text());
  for (Json& merge : json["model"]["merges"]) {
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  }
  json["model"].erase("ignore_merges");
  json["normalizer"] = nullptr;
  json["post_processor"] = nullptr;
  std::string regex = json["pre_tokenizer"]["pretokenizers"][2]["pattern"]["Regex"];
  for (const auto& [escape, character] : {std::pair{"\\r", "\r"}, std::pair{"\\n", "\n"}}) {
    for (std::size_t at = regex.find(escape); at != std::string::npos; at = regex.find(escape)) {
      regex.replace(at, 2, character);
    }
  }
  json["pre_tokenizer"]["pretokenizers"][2]["pattern"]["Regex"] = regex;
  const auto other = Tokenizer::parse(json.dump(), "file");
  const std::string text = "Alice said: \"12345 words\"\n\n  and <think>中文🙂";
  EXPECT_EQ(other->encode(text, true), expected->encode(text, true));
}

TEST(TokenizerJson, IgnoreMergesTakesAPieceOfTheVocabularyWhole) {
  Json json = Json::parse(tiny_text());
  json["model"]["vocab"]["qzqz"] = 3072;  // no merge makes it
  EXPECT_NE(Tokenizer::parse(json.dump(), "file")->encode("qzqz", true).size(), 1U);
  json["model"]["ignore_merges"] = true;
  const auto tokenizer = Tokenizer::parse(json.dump(), "file");
  EXPECT_EQ(tokenizer->encode("qzqz", true), (std::vector<std::int32_t>{3072}));
  EXPECT_GT(tokenizer->encode("qzqzq", true).size(), 1U);
}

TEST(TokenizerJson, LeavesIdsWithoutATokenEmpty) {
  Json json = Json::parse(tiny_text());
  json["model"]["vocab"]["qzqz"] = 3080;
  const auto tokenizer = Tokenizer::parse(json.dump(), "file");
  EXPECT_EQ(tokenizer->vocab_size(), 3081);
  EXPECT_EQ(tokenizer->piece(3075), std::nullopt);
  EXPECT_EQ(tokenizer->decode({3075, 3080}), "qzqz");
}

// In the reference library tokens that are not normalized win over normalized ones to their left.
TEST(TokenizerJson, LooksForNormalizedTokensLast) {
  Json json = Json::parse(tiny_text());
  const auto add = [&](const char* content, int id, bool normalized) {
    json["added_tokens"].push_back({{"content", content}, {"id", id}, {"normalized", normalized}});
  };
  add("#xy", 3072, true);
  add("yz", 3073, false);
  const auto tokenizer = Tokenizer::parse(json.dump(), "file");
  const auto ids = tokenizer->encode("#xyz#xy", true);
  EXPECT_EQ(ids.back(), 3072);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 3072), 1);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 3073), 1);
}

TEST(TokenizerJson, SurvivesArbitraryBytes) {
  std::mt19937 random(41);
  for (const std::string text :
       {"", "{", "null", "[]", "{}", "3", "\xFF\xFE", "{\"a\":\"\xC3\"}"}) {
    EXPECT_THROW(Tokenizer::parse(text, "file"), Error) << text;
  }
  EXPECT_THROW(Tokenizer::parse(std::string(200000, '['), "file"), Error);
  for (int round = 0; round < 60; ++round) {
    std::string text = tiny_text();
    for (int i = 0; i < 3; ++i) text[random() % text.size()] = static_cast<char>(random());
    try {
      Tokenizer::parse(text, "file")->encode("Alice 中文 <think>", true);
    } catch (const Error&) {  // accepted or refused, never anything else
    }
  }
}

}  // namespace
}  // namespace deepinfer
