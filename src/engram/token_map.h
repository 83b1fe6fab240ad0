#pragma once

// The compressed token map: token ids whose texts differ only in case, accents, compatibility form
// or white space share one compressed id. Model specification 3.1.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deepinfer/model_config.h"
#include "deepinfer/tokenizer.h"

namespace deepinfer {

/// The normalised form of a token's text (NFKD without marks, lower case, white space folded).
/// REQUIRES: valid UTF-8.
std::string normalise_token(std::string_view text);

/// The key of a token id: ids with equal keys share a compressed id.
std::string token_key(const Tokenizer& tokenizer, std::int32_t id);

struct TokenMap {
  std::vector<std::int32_t> compressed;  ///< by token id
  int size = 0;                          ///< number of compressed ids
};

/// Ids are handed out in order of first appearance over token ids 0 … vocab_size-1.
TokenMap build_token_map(const Tokenizer& tokenizer, int vocab_size);

/// The same, checked against the config. Throws Error (bad_input) naming the tokenizer file of
/// `directory` if the size is not the config's (model specification 1.6).
TokenMap build_checked_token_map(const Tokenizer& tokenizer, const ModelConfig& config,
                                 const std::string& directory);

}  // namespace deepinfer
