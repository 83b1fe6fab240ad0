#include "engine/sequence.h"

#include <algorithm>

namespace deepinfer {

Sequence::Sequence(RequestId id, Request request, std::shared_ptr<const Tokenizer> tokenizer,
                   std::span<const int> eos_tokens)
    : id_(id),
      request_(std::move(request)),
      tokens_(request_.prompt),
      prompt_tokens_(length()),
      eos_tokens_(eos_tokens),
      sampler_(request_.sampling),
      detokenizer_(std::move(tokenizer)),
      stop_matcher_(request_.stop) {}

std::int64_t Sequence::most_tokens() const {
  // The last generated token is never run, so it needs no position.
  return prompt_tokens_ + request_.max_tokens - 1;
}

SequenceMetadata Sequence::rows(int rows) const {
  return {.tokens = tokens_,
          .first_position = cached_,
          .rows = rows,
          .slot = cache_->slot(),
          .blocks = cache_->blocks(),
          .wants_logits = cached_ + rows == length(),
          .all_logits = false};
}

std::optional<TokenEvent> Sequence::advance(int rows, std::span<const float> logits) {
  cached_ += rows;
  if (cached_ < length()) return std::nullopt;
  const auto index = static_cast<std::uint64_t>(length() - prompt_tokens_);
  return take_token(sampler_.sample(logits, index));
}

bool Sequence::is_stop_token(std::int32_t token) const {
  const bool eos = !request_.ignore_eos &&
                   std::find(eos_tokens_.begin(), eos_tokens_.end(), token) != eos_tokens_.end();
  return eos || std::find(request_.stop_tokens.begin(), request_.stop_tokens.end(), token) !=
                    request_.stop_tokens.end();
}

TokenEvent Sequence::take_token(std::int32_t token) {
  tokens_.push_back(token);
  TokenEvent event{.request = id_, .token = token, .text = {}, .finished = false, .reason = {}};
  if (is_stop_token(token)) {  // its own text is not part of the answer
    event.text = stop_matcher_.push(detokenizer_.flush());
    event.text += stop_matcher_.finish();
    event.finished = true;
    event.reason = FinishReason::stop;
    return event;
  }
  event.text = stop_matcher_.push(detokenizer_.push(token));
  const bool full = length() - prompt_tokens_ >= request_.max_tokens;
  if (full && !stop_matcher_.stopped()) {
    event.text += stop_matcher_.push(detokenizer_.flush());
    event.text += stop_matcher_.finish();
  }
  if (stop_matcher_.stopped()) {
    event.finished = true;
    event.reason = FinishReason::stop;
  } else if (full) {
    event.finished = true;
    event.reason = FinishReason::length;
  }
  return event;
}

}  // namespace deepinfer
