#pragma once

// An opened model: checkpoint, tokenizer and n-gram tables that belong together. Immutable; shared
// by any number of engines and threads.

#include <memory>
#include <string>

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

/// Opens `directory`; reads headers, the tokenizer and no weights. Throws Error (bad_input).
Model open_model(const std::string& directory, EngramMode engram_mode);

}  // namespace deepinfer
