#pragma once

// Replays a file of tools/make_tokenizer_cases.py: texts with the ids that the reference library
// gave them, and ids with the text it decoded them to.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "deepinfer/tokenizer.h"

namespace deepinfer {

struct ReplayResult {
  std::size_t texts = 0;
  std::size_t decodes = 0;
  std::vector<std::string> mismatches;  // one description each
};

/// Encodes every text with and without added tokens; decodes every id list in one piece and token
/// by token, also the ids of every text. Throws what the JSON parser throws on a damaged file.
ReplayResult replay_cases(const std::shared_ptr<const Tokenizer>& tokenizer,
                          const std::string& path);

}  // namespace deepinfer
