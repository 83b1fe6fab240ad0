#include "model/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "deepinfer/error.h"

namespace deepinfer {

namespace {

void require_known_ids(const Tokenizer& tokenizer, const ModelConfig& config,
                       const std::string& directory) {
  if (tokenizer.vocab_size() > config.vocab_size)
    throw Error::bad_input(directory + "/tokenizer.json", "has ids beyond the model's vocabulary",
                           {.expected = fmt::format("at most {}", config.vocab_size),
                            .got = std::to_string(tokenizer.vocab_size()),
                            .hint = {}});
}

}  // namespace

std::vector<std::string> check_model(const std::string& directory, const CheckOptions& options) {
  std::vector<std::string> faults = check_checkpoint(directory, options);
  try {
    const auto tokenizer = Tokenizer::open(directory);
    const ModelConfig config = read_config(directory);  // its own faults are listed already
    require_known_ids(*tokenizer, config, directory);
    if (config.engram.enabled()) build_checked_token_map(*tokenizer, config, directory);
  } catch (const Error& error) {
    if (std::find(faults.begin(), faults.end(), error.what()) == faults.end())
      faults.emplace_back(error.what());
  }
  return faults;
}

Model open_model(const std::string& directory, EngramMode engram_mode) {
  Model model;
  model.checkpoint = Checkpoint::open(directory);
  model.tokenizer = Tokenizer::open(directory);
  const ModelConfig& config = model.config();
  require_known_ids(*model.tokenizer, config, directory);
  if (config.engram.enabled())
    model.engram = Engram::open(model.checkpoint, *model.tokenizer, engram_mode);
  return model;
}

}  // namespace deepinfer
