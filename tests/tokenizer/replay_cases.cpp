#include "replay_cases.h"

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>

namespace deepinfer {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<std::int32_t>;

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string text_of(const Json& text) {
  if (text.is_string()) return text.get<std::string>();
  if (text.contains("hex")) return bytes_of_hex(text["hex"].get<std::string>());
  std::string joined;
  for (const Json& run : text.at("runs")) {
    const auto part = run[0].get<std::string>();
    for (int i = 0; i < run[1].get<int>(); ++i) joined += part;
  }
  return joined;
}

Ids ids_of(const Json& packed) {
  Ids ids;
  for (const Json& item : packed) {
    if (item.is_array()) {
      ids.insert(ids.end(), item[1].get<std::size_t>(), item[0].get<std::int32_t>());
    } else {
      ids.push_back(item.get<std::int32_t>());
    }
  }
  return ids;
}

std::string streamed(const std::shared_ptr<const Tokenizer>& tokenizer, const Ids& ids) {
  Detokenizer detokenizer(tokenizer);
  std::string text;
  for (const std::int32_t id : ids) text += detokenizer.push(id);
  return text + detokenizer.flush();
}

}  // namespace

ReplayResult replay_cases(const std::shared_ptr<const Tokenizer>& tokenizer,
                          const std::string& path) {
  std::ifstream file(path);
  const Json json = Json::parse(file);
  ReplayResult result;

  for (const Json& item : json.at("cases")) {
    ++result.texts;
    const std::string text = text_of(item.at("text"));
    const Ids expected = ids_of(item.at("ids"));
    // Null: not known.
    const Json plain = item.contains("plain") ? item["plain"] : item["ids"];
    const auto report = [&](const char* what, const Ids& got) {
      result.mismatches.push_back(std::string(what) + " of " + item.dump() + " gave " +
                                  Json(got).dump());
    };
    const Ids got = tokenizer->encode(text, true);
    if (got != expected) report("encode with added tokens", got);
    const Ids got_plain = tokenizer->encode(text, false);
    if (!plain.is_null() && got_plain != ids_of(plain))
      report("encode without added tokens", got_plain);
    // Byte-level BPE loses nothing: ids give the (repaired) text back.
    const std::string back = tokenizer->decode(got);
    const bool repaired = item["text"].is_object() && item["text"].contains("hex");
    if (!repaired && back != text) report("decode of the ids", got);
    if (streamed(tokenizer, got) != back) report("streamed decode of the ids", got);
  }

  for (const Json& item : json.at("decode")) {
    ++result.decodes;
    const Ids ids = ids_of(item.at("ids"));
    const auto text = item.at("text").get<std::string>();
    if (tokenizer->decode(ids) != text) result.mismatches.push_back("decode of " + item.dump());
    if (streamed(tokenizer, ids) != text) {
      result.mismatches.push_back("streamed decode of " + item.dump());
    }
  }
  return result;
}

}  // namespace deepinfer
