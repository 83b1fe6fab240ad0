#pragma once

// Runs prompts of the goldens on a model and checks what comes out, with the tolerances that the
// goldens' own noise figures call for.

#include <string>

#include "deepinfer/options.h"

namespace deepinfer {

struct GoldenRun {
  std::string model;    ///< directory under tests/data
  std::string backend;  ///< reference, cpu or pjrt
  GraphMode mode = GraphMode::whole;
  Numerics numerics = Numerics::fp32;
  std::size_t longest_prompt = 715;
  std::string only_prompt = {};    ///< empty: all
  bool all_chunkings = true;       ///< else only the prompt in one go
  std::size_t greedy_tokens = 64;  ///< at most
  std::string pjrt_plugin = {};    ///< of backend pjrt
};

/// Fails the running test where the model differs.
void check_goldens(const GoldenRun& run);

/// A test name for a run.
std::string golden_run_name(const std::string& model, const std::string& backend, GraphMode mode,
                            Numerics numerics);

/// The goldens that hold for a checkpoint: t41-draft has t41's text weights and no others.
std::string goldens_of(const std::string& model);

}  // namespace deepinfer
