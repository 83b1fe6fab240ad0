#include "model/model.h"

#include <fmt/format.h>

#include "deepinfer/error.h"

namespace deepinfer {

Model open_model(const std::string& directory, EngramMode engram_mode) {
  Model model;
  model.checkpoint = Checkpoint::open(directory);
  model.tokenizer = Tokenizer::open(directory);
  const ModelConfig& config = model.config();
  if (model.tokenizer->vocab_size() > config.vocab_size)
    throw Error::bad_input(directory + "/tokenizer.json", "has ids beyond the model's vocabulary",
                           {.expected = fmt::format("at most {}", config.vocab_size),
                            .got = std::to_string(model.tokenizer->vocab_size()),
                            .hint = {}});
  if (config.engram.enabled())
    model.engram = Engram::open(model.checkpoint, *model.tokenizer, engram_mode);
  return model;
}

}  // namespace deepinfer
