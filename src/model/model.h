#pragma once

// An opened model: checkpoint, tokenizer and n-gram tables that belong together. Immutable; shared
// by any number of engines and threads.

#include <memory>
#include <string>
#include <vector>

#include "deepinfer/checkpoint.h"
#include "deepinfer/options.h"
#include "deepinfer/tokenizer.h"
#include "engram/engram.h"

namespace deepinfer {

struct Model {
  std::shared_ptr<const Checkpoint> checkpoint;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const Engram> engram;  ///< nullptr if the model has none

  const ModelConfig& config() const { return checkpoint->config(); }
};

/// All faults of a model's directory, one line each; empty = ok: check_checkpoint() and what needs
/// the tokenizer (its file, its ids against the vocabulary, the compressed token map). Never throws
/// for a bad directory.
std::vector<std::string> check_model(const std::string& directory, const CheckOptions& options);

/// Opens `directory`; reads headers, the tokenizer and no weights. Throws Error (bad_input).
Model open_model(const std::string& directory, EngramMode engram_mode);

}  // namespace deepinfer
