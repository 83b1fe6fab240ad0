#include "text/bpe_tokenizer.h"

#include <string>
#include <utility>

#include "deepinfer/error.h"
#include "text/byte_alphabet.h"
#include "text/pre_tokenizer.h"
#include "text/utf8.h"

namespace deepinfer {
namespace {

// Repair makes at most 3 bytes of one, and a piece may be the whole text.
constexpr std::size_t kMaxTextBytes = Bpe::kMaxPieceBytes / 3;

AddedTokenMatcher make_matcher(const std::vector<AddedTokenEntry>& tokens, bool normalized) {
  std::vector<std::pair<std::string, std::int32_t>> chosen;
  for (const AddedTokenEntry& token : tokens) {
    if (token.normalized == normalized) chosen.emplace_back(token.content, token.id);
  }
  return AddedTokenMatcher(std::move(chosen));
}

/// Gives `encode_part` the text between matches and appends the matches' ids.
template <typename EncodePart>
void encode_between(std::string_view text, const AddedTokenMatcher& matcher,
                    std::vector<std::int32_t>& ids, const EncodePart& encode_part) {
  std::size_t done = 0;
  while (const auto match = matcher.find(text, done)) {
    if (match->position > done) encode_part(text.substr(done, match->position - done));
    ids.push_back(match->id);
    done = match->position + match->length;
  }
  if (done < text.size()) encode_part(text.substr(done));
}

}  // namespace

BpeTokenizer::BpeTokenizer(const TokenizerData& data)
    : table_(static_cast<std::size_t>(data.size)),
      bpe_(data.byte_ids, data.merges),
      raw_added_(make_matcher(data.added, false)),
      normalized_added_(make_matcher(data.added, true)) {
  for (const auto& [piece, id] : data.vocabulary) {
    table_.set_ordinary(id, piece);
    if (!data.ignore_merges) continue;
    if (auto bytes = unspell_bytes(piece)) whole_pieces_.emplace(*std::move(bytes), id);
  }
  for (const AddedTokenEntry& token : data.added) {
    table_.set_added(token.id, token.content);
    added_ids_.emplace(token.content, token.id);
  }
}

std::vector<std::int32_t> BpeTokenizer::encode(std::string_view text, bool added_tokens) const {
  if (text.size() > kMaxTextBytes) {
    throw Error::bad_input(
        "tokenizer", "the text is too long",
        {"at most " + std::to_string(kMaxTextBytes) + " bytes", std::to_string(text.size()), ""});
  }
  std::string repaired;
  if (!is_valid_utf8(text)) {
    repaired = repair_utf8(text);
    text = repaired;
  }
  std::vector<std::int32_t> ids;
  if (!added_tokens) {
    encode_plain(text, ids);
    return ids;
  }
  // The reference library looks for tokens that are not normalized first, in the whole text.
  encode_between(text, raw_added_, ids, [&](std::string_view part) {
    encode_between(part, normalized_added_, ids,
                   [&](std::string_view plain) { encode_plain(plain, ids); });
  });
  return ids;
}

void BpeTokenizer::encode_plain(std::string_view text, std::vector<std::int32_t>& ids) const {
  PreTokenizer pieces(text);
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    const auto whole = whole_pieces_.find(piece);
    if (whole != whole_pieces_.end()) {
      ids.push_back(whole->second);
    } else {
      bpe_.encode(piece, ids);
    }
  }
}

std::string BpeTokenizer::decode(const std::vector<std::int32_t>& ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    require_token_id(*this, id);
    text += table_.bytes(id);
  }
  return repair_utf8(text);
}

int BpeTokenizer::vocab_size() const { return static_cast<int>(table_.size()); }

std::optional<std::string_view> BpeTokenizer::piece(std::int32_t id) const {
  if (!table_.contains(id) || !table_.has_token(id)) return std::nullopt;
  return table_.piece(id);
}

std::string_view BpeTokenizer::bytes(std::int32_t id) const {
  return table_.contains(id) ? table_.bytes(id) : std::string_view();
}

bool BpeTokenizer::is_added(std::int32_t id) const {
  return table_.contains(id) && table_.is_added(id);
}

std::optional<std::int32_t> BpeTokenizer::added_token(std::string_view text) const {
  const auto entry = added_ids_.find(text);
  if (entry == added_ids_.end()) return std::nullopt;
  return entry->second;
}

void require_token_id(const Tokenizer& tokenizer, std::int32_t id) {
  if (id >= 0 && id < tokenizer.vocab_size()) return;
  throw Error::bad_input(
      "tokenizer", "there is no such token id",
      {"0 to " + std::to_string(tokenizer.vocab_size() - 1), std::to_string(id), ""});
}

}  // namespace deepinfer
