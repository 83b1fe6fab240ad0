#include "text/tokenizer_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "core/json_problem.h"
#include "deepinfer/error.h"
#include "text/byte_alphabet.h"
#include "text/tokenizer_json_field.h"
#include "text/tokenizer_json_pipeline.h"
#include "text/utf8.h"

namespace deepinfer {
namespace {

using Json = nlohmann::json;
// Keys are views of the document's strings.
using IdByPiece = std::unordered_map<std::string_view, std::int32_t>;

// Tables are as long as the largest id: a file may leave some ids without a token, but not make us
// reserve memory out of proportion to its own size.
std::int32_t id_limit(std::size_t tokens) {
  constexpr std::size_t kMostTokens = 1U << 24;
  constexpr std::size_t kSpareIds = 4096;
  return static_cast<std::int32_t>(2 * std::min(tokens, kMostTokens) + kSpareIds);
}

Json parse_tokenizer_json(std::string_view text, std::string_view where) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error::bad_input(
        where, "this is not valid JSON",
        {"a tokenizer.json", excerpt(repair_utf8(json_problem(error.what()))), ""});
  }
}

void check_model_options(const TokenizerJsonField& model) {
  model["type"].require_string("BPE");
  for (const char* name : {"dropout", "unk_token"}) {
    if (!model[name].is_null()) model[name].fail("null");
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!model[name].is_null()) model[name].require_string("");
  }
  if (model["byte_fallback"].bool_or(false)) model["byte_fallback"].fail("false");
}

IdByPiece read_vocabulary(const TokenizerJsonField& field, std::int32_t limit,
                          TokenizerData& data) {
  field.require_object();
  IdByPiece ids;
  ids.reserve(field.value().size());
  data.vocabulary.reserve(field.value().size());
  std::vector<const std::string*> piece_of(static_cast<std::size_t>(limit), nullptr);
  for (auto entry = field.value().begin(); entry != field.value().end(); ++entry) {
    const std::string& piece = entry.key();
    // The path of one entry is only built for an error: there are 128,000.
    const std::int64_t id = entry->is_number_integer() ? entry->get<std::int64_t>() : -1;
    if (id < 0 || id >= limit) {
      field.fail("an id from 0 to " + std::to_string(limit - 1) + " for " + quoted_excerpt(piece),
                 excerpt(entry->dump()));
    }
    const std::string*& owner = piece_of[static_cast<std::size_t>(id)];
    if (owner != nullptr) {
      field.fail("unique ids", "id " + std::to_string(id) + " for both " + quoted_excerpt(*owner) +
                                   " and " + quoted_excerpt(piece));
    }
    owner = &piece;
    data.vocabulary.emplace_back(piece, static_cast<std::int32_t>(id));
    ids.emplace(piece, static_cast<std::int32_t>(id));
  }
  return ids;
}

std::array<std::int32_t, 256> read_byte_ids(const TokenizerJsonField& field, const IdByPiece& ids) {
  std::array<std::int32_t, 256> byte_ids{};
  for (unsigned byte = 0; byte < byte_ids.size(); ++byte) {
    std::string spelling;
    append_utf8(spelling, byte_to_character(static_cast<std::uint8_t>(byte)));
    const auto entry = ids.find(spelling);
    if (entry == ids.end()) {
      field.fail("a token for each of the 256 bytes",
                 "none for byte " + std::to_string(byte) + ", " + quoted_excerpt(spelling));
    }
    byte_ids[byte] = entry->second;
  }
  return byte_ids;
}

struct MergeParts {
  std::string_view left;
  std::string_view right;
};

std::optional<MergeParts> split_merge(const Json& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return MergeParts{merge[0].get_ref<const std::string&>(),
                      merge[1].get_ref<const std::string&>()};
  }
  if (!merge.is_string()) return std::nullopt;
  const std::string_view text = merge.get_ref<const std::string&>();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return MergeParts{text.substr(0, space), text.substr(space + 1)};
}

void read_merges(const TokenizerJsonField& field, const IdByPiece& ids, TokenizerData& data) {
  const std::size_t count = field.array_size();
  data.merges.reserve(count);
  std::string joined;
  for (std::size_t i = 0; i < count; ++i) {
    const auto parts = split_merge(field.value()[i]);
    if (!parts) field[i].fail("\"left right\" or [\"left\", \"right\"]");
    joined.assign(parts->left).append(parts->right);
    const auto id_of = [&](std::string_view piece) {
      const auto entry = ids.find(piece);
      if (entry == ids.end()) {
        field[i].fail("parts and result in model.vocab",
                      quoted_excerpt(piece) + ", which is not there");
      }
      return entry->second;
    };
    data.merges.push_back({id_of(parts->left), id_of(parts->right), id_of(joined)});
  }
}

// Flags that change where a spelling matches, which no DeepSeek file sets.
void check_added_flags(const TokenizerJsonField& token) {
  for (const char* name : {"single_word", "lstrip", "rstrip"}) {
    if (token[name].bool_or(false)) token[name].fail("false");
  }
}

void read_added_tokens(const TokenizerJsonField& field, const IdByPiece& ids, std::int32_t limit,
                       TokenizerData& data) {
  std::unordered_map<std::int32_t, std::string_view> text_of;
  for (const auto& [piece, id] : ids) text_of.emplace(id, piece);
  std::unordered_map<std::string_view, std::int32_t> seen;
  const std::size_t count = field.array_size();
  for (std::size_t i = 0; i < count; ++i) {
    const TokenizerJsonField token = field[i];
    const std::string& content = token["content"].string();
    const std::int32_t id = token["id"].id(limit);
    if (content.empty()) token["content"].fail("some text");
    check_added_flags(token);
    if (const auto known = ids.find(content); known != ids.end() && known->second != id) {
      token["id"].fail(std::to_string(known->second) + " as in model.vocab");
    }
    const auto [entry, fresh] = text_of.emplace(id, content);
    if (!fresh && entry->second != content) {
      token["id"].fail("an id of its own",
                       std::to_string(id) + ", the id of " + quoted_excerpt(entry->second));
    }
    if (!seen.emplace(content, id).second) token["content"].fail("a text of its own");
    data.added.push_back({content, id, token["normalized"].bool_or(false)});
  }
}

std::int32_t table_size(const TokenizerData& data) {
  std::int32_t size = 0;
  for (const auto& [piece, id] : data.vocabulary) size = std::max(size, id + 1);
  for (const AddedTokenEntry& token : data.added) size = std::max(size, token.id + 1);
  return size;
}

}  // namespace

TokenizerData read_tokenizer_json(std::string_view text, std::string_view where) {
  const Json json = parse_tokenizer_json(text, where);
  const TokenizerJsonField document(json, "", where);
  check_tokenizer_pipeline(document);
  const TokenizerJsonField model = document["model"];
  check_model_options(model);

  TokenizerData data;
  const TokenizerJsonField vocabulary = model["vocab"];
  const TokenizerJsonField added = document["added_tokens"];
  vocabulary.require_object();
  const std::int32_t limit = id_limit(vocabulary.value().size() + added.array_size());
  const IdByPiece ids = read_vocabulary(vocabulary, limit, data);
  data.byte_ids = read_byte_ids(vocabulary, ids);
  read_merges(model["merges"], ids, data);
  read_added_tokens(added, ids, limit, data);
  data.ignore_merges = model["ignore_merges"].bool_or(false);
  data.size = table_size(data);
  return data;
}

}  // namespace deepinfer
