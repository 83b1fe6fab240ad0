#include <utility>

#include "deepinfer/tokenizer.h"
#include "text/bpe_tokenizer.h"
#include "text/utf8.h"

namespace deepinfer {

Detokenizer::Detokenizer(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)) {}

std::string Detokenizer::push(std::int32_t id) {
  require_token_id(*tokenizer_, id);
  // The text of an added token starts a character, so it also ends whatever was unfinished.
  std::string text = std::exchange(pending_, {});
  text += tokenizer_->bytes(id);
  const std::size_t complete = text.size() - incomplete_suffix_length(text);
  pending_ = text.substr(complete);
  text.resize(complete);
  return repair_utf8(text);
}

std::string Detokenizer::flush() { return repair_utf8(std::exchange(pending_, {})); }

}  // namespace deepinfer
