#pragma once

// Runs one token list exactly as asked, cut into chunks as asked: what `deepinfer logits` and the
// golden tests are made of. One sequence; one thread.

#include <functional>
#include <span>
#include <vector>

#include "engine/runtime.h"
#include "engine/sequence_cache.h"

namespace deepinfer {

class SequenceRun {
 public:
  /// Takes cache rows for `most_tokens` positions. Throws Error (bad_input) if they do not fit.
  SequenceRun(Runtime& runtime, std::int64_t most_tokens);

  /// Called after each chunk: the step's output, the position of its row 0 and its rows.
  using OnStep =
      std::function<void(const StepOutput& output, std::int64_t first_position, int rows)>;

  /// Appends `tokens` and runs them in chunks of the given sizes (they must add up to the number of
  /// tokens; empty: chunks of the prefill bucket). `all_logits`: of every row, else of the last row
  /// of every chunk. Throws Error (bad_input) naming what does not fit.
  void feed(std::span<const std::int32_t> tokens, std::span<const int> chunks, bool all_logits,
            const OnStep& on_step);

  std::span<const std::int32_t> tokens() const { return tokens_; }
  const SequenceCache& cache() const { return cache_; }

 private:
  Runtime& runtime_;
  SequenceCache cache_;
  std::vector<std::int32_t> tokens_;
};

/// `tokens` in chunks of `size`, the last one shorter.
std::vector<int> even_chunks(std::size_t tokens, int size);

}  // namespace deepinfer
