#pragma once

// What `deepinfer logits` computes: one token list run exactly as asked, and the numbers that came
// out. One thread.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/runtime.h"

namespace deepinfer::cli {

struct LogitsRequest {
  std::vector<std::int32_t> tokens;  ///< the prompt, at least one
  std::vector<int> chunks;           ///< how it is cut; empty: the prefill bucket
  int greedy = 0;                    ///< tokens to continue
  bool all_positions = false;
  bool trace = false;
};

struct LogitsResult {
  int vocab = 0;
  std::vector<float> logits;             ///< [steps, vocab]
  std::vector<std::int64_t> tokens;      ///< the continued tokens
  std::vector<std::vector<float>> sums;  ///< by layer, [positions]; empty without `trace`

  std::size_t steps() const { return logits.size() / static_cast<std::size_t>(vocab); }
};

/// Index of the largest value, the lowest on a tie.
std::int64_t argmax(std::span<const float> values);

/// Throws Error (bad_input) naming what does not fit; Interrupted between two steps.
LogitsResult run_logits(Runtime& runtime, const LogitsRequest& request);

}  // namespace deepinfer::cli
