#pragma once

// The starting document's experiment: short and long evals in every graph mode, and a long prompt
// one row at a time without graphs against chunks through graphs.

#include <cstdint>
#include <string>
#include <vector>

#include "deepinfer/options.h"
#include "engine/runtime.h"

namespace deepinfer::bench {

struct EvalCase {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> expect;  ///< greedy tokens that must follow
};

struct EvalSet {
  std::vector<EvalCase> short_cases;  ///< prompts of at most one bucket
  std::vector<EvalCase> long_cases;
};

/// Reads a model's eval.json (`tokens`, `expect_tokens`). Throws Error.
EvalSet read_eval_set(const std::string& path, int bucket);

struct EvalResult {
  int correct = 0;
  double seconds = 0;
};

/// Runs the cases one after the other, greedy.
EvalResult run_evals(Runtime& runtime, const std::vector<EvalCase>& cases);

/// Seconds to run `tokens` as a prompt in chunks of `chunk` rows.
double prompt_seconds(Runtime& runtime, const std::vector<std::int32_t>& tokens, int chunk);

}  // namespace deepinfer::bench
