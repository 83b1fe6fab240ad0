#pragma once

// The bundled model's own cases: prompts and the tokens that must follow.

#include <cstdint>
#include <string>
#include <vector>

#include "deepinfer/options.h"

namespace deepinfer {

struct TinyCase {
  std::string name;
  std::vector<std::int32_t> prompt;
  std::vector<std::int32_t> expected;
};

/// Those of its eval.json: they end before the model says so.
std::vector<TinyCase> tiny_eval_cases();
/// Continuations that the model's training script saw.
std::vector<TinyCase> tiny_golden_cases();

/// Options of a test run of the bundled model.
Options tiny_options(const std::string& backend, Numerics numerics, GraphMode mode);

/// Runs all cases at once through an engine; what followed each prompt, as many tokens as expected.
std::vector<std::vector<std::int32_t>> run_cases(const Options& options,
                                                 const std::vector<TinyCase>& cases,
                                                 bool ignore_eos);

}  // namespace deepinfer
