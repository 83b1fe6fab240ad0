#pragma once

// One running request: its tokens, its cache rows, its sampler and its text. Engine thread only.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deepinfer/engine.h"
#include "engine/sampler.h"
#include "engine/sequence_cache.h"
#include "text/stop_matcher.h"

namespace deepinfer {

class Sequence {
 public:
  Sequence(RequestId id, Request request, std::shared_ptr<const Tokenizer> tokenizer,
           std::span<const int> eos_tokens);

  RequestId id() const { return id_; }
  /// Positions the sequence will need at most.
  std::int64_t most_tokens() const;
  void admit(SequenceCache cache) { cache_.emplace(std::move(cache)); }

  bool decoding() const { return cached_ >= prompt_tokens_; }
  std::int64_t cached() const { return cached_; }
  std::int64_t length() const { return static_cast<std::int64_t>(tokens_.size()); }

  /// The next `rows` rows; logits are wanted if they reach the newest token.
  SequenceMetadata rows(int rows) const;
  /// Those rows have run. If they reached the newest token, `logits` gives the next one; returns
  /// its event.
  std::optional<TokenEvent> advance(int rows, std::span<const float> logits);

 private:
  TokenEvent take_token(std::int32_t token);
  bool is_stop_token(std::int32_t token) const;

  RequestId id_;
  Request request_;
  std::vector<std::int32_t> tokens_;  // prompt, then what was generated
  std::int64_t prompt_tokens_;
  std::int64_t cached_ = 0;
  std::span<const int> eos_tokens_;
  std::optional<SequenceCache> cache_;
  Sampler sampler_;
  Detokenizer detokenizer_;
  StopMatcher stop_matcher_;
};

}  // namespace deepinfer
