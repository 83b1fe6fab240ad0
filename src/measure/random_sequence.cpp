#include "measure/random_sequence.h"

#include <fmt/format.h>

#include <random>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

SequenceCache take_cache(Runtime& runtime, std::int64_t most) {
  if (most > runtime.max_context())
    throw Error::bad_input("bench", "the tokens of a sequence do not fit the context",
                           {.expected = fmt::format("at most {}", runtime.max_context()),
                            .got = std::to_string(most),
                            .hint = "raise --max-context"});
  if (!SequenceCache::fits(runtime.caches(), most))
    throw Error::bad_input("bench", "the sequences do not fit the KV buffer together",
                           {.expected = {}, .got = {}, .hint = "raise --kv-memory"});
  return {runtime.caches(), most};
}

}  // namespace

RandomSequence::RandomSequence(Runtime& runtime, std::uint64_t seed, std::int64_t most)
    : cache_(take_cache(runtime, most)) {
  std::mt19937_64 random(seed);  // the same numbers with every library
  const auto vocabulary = static_cast<std::uint64_t>(runtime.model().config().vocab_size);
  tokens_.reserve(static_cast<std::size_t>(most));
  for (std::int64_t i = 0; i < most; ++i)
    tokens_.push_back(static_cast<std::int32_t>(random() % vocabulary));
}

SequenceMetadata RandomSequence::take(int rows) {
  const SequenceMetadata metadata{.tokens = tokens_,
                                  .first_position = position_,
                                  .rows = rows,
                                  .slot = cache_.slot(),
                                  .blocks = cache_.blocks(),
                                  .wants_logits = true,
                                  .all_logits = false};
  position_ += rows;
  return metadata;
}

}  // namespace deepinfer
