#include "engine/sequence_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

SequenceCache take_cache(Runtime& runtime, std::int64_t tokens) {
  if (tokens > runtime.max_context() || !SequenceCache::fits(runtime.caches(), tokens))
    throw Error::bad_input("tokens", "do not fit the context",
                           {.expected = fmt::format("at most {}", runtime.max_context()),
                            .got = std::to_string(tokens),
                            .hint = {}});
  return {runtime.caches(), tokens};
}

void check_chunks(std::span<const int> chunks, std::size_t tokens, int largest) {
  for (const int chunk : chunks)
    if (chunk < 1 || chunk > largest)
      throw Error::bad_input("--chunks", "a chunk is out of range",
                             {.expected = fmt::format("1 to {}", largest),
                              .got = std::to_string(chunk),
                              .hint = "raise --prefill-bucket"});
  const auto sum = std::accumulate(chunks.begin(), chunks.end(), std::int64_t{0});
  if (sum != static_cast<std::int64_t>(tokens))
    throw Error::bad_input(
        "--chunks", "do not add up to the number of tokens",
        {.expected = std::to_string(tokens), .got = std::to_string(sum), .hint = {}});
}

}  // namespace

std::vector<int> even_chunks(std::size_t tokens, int size) {
  std::vector<int> chunks(tokens / static_cast<std::size_t>(size), size);
  if (const auto rest = static_cast<int>(tokens % static_cast<std::size_t>(size)); rest > 0)
    chunks.push_back(rest);
  return chunks;
}

SequenceRun::SequenceRun(Runtime& runtime, std::int64_t most_tokens)
    : runtime_(runtime), cache_(take_cache(runtime, most_tokens)) {}

void SequenceRun::feed(std::span<const std::int32_t> tokens, std::span<const int> chunks,
                       bool all_logits, const OnStep& on_step) {
  const std::vector<int> even = even_chunks(tokens.size(), runtime_.options().prefill_bucket);
  if (chunks.empty()) chunks = even;
  check_chunks(chunks, tokens.size(), max_step_rows(runtime_.options()));
  auto position = static_cast<std::int64_t>(tokens_.size());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  for (const int chunk : chunks) {
    const SequenceMetadata metadata{.tokens = tokens_,
                                    .first_position = position,
                                    .rows = chunk,
                                    .slot = cache_.slot(),
                                    .blocks = cache_.blocks(),
                                    .wants_logits = true,
                                    .all_logits = all_logits};
    const StepOutput output = runtime_.step({&metadata, 1});
    if (on_step) on_step(output, position, chunk);
    position += chunk;
  }
}

}  // namespace deepinfer
