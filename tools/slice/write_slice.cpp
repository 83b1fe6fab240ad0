// write_slice DIR: a random model of the released widths with few layers, for timings.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include "deepinfer/error.h"
#include "tools/slice/random_checkpoint.h"
#include "tools/slice/slice_config.h"

namespace {

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw deepinfer::Error::bad_input(path, "cannot be read");
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace deepinfer;
  CLI::App app("Writes a random model of the released widths with few layers (6.8 GB).");
  std::string directory;
  std::string config;
  const std::string released = DEEPINFER_SOURCE_DIR "/tests/data/released/config.json";
  RandomCheckpoint checkpoint;
  std::string tokenizer = DEEPINFER_SOURCE_DIR "/models/DeepInfer-V4.1-tiny";
  app.add_option("directory", directory, "new or empty directory")->required();
  app.add_option("--seed", checkpoint.seed, "equal seeds give equal bytes");
  app.add_option("--config", config, "a config.json to fill with random weights, as it is");
  app.add_option("--tokenizer", tokenizer, "directory whose tokenizer is taken");
  CLI11_PARSE(app, argc, argv);
  try {
    const std::string known = read_text(tokenizer + "/tokenizer.json");
    // The slice's vocabulary is the released one, whatever its config is made from.
    const std::string words = read_text(config.empty() ? released : config);
    checkpoint.tokenizer = whole_vocabulary(known, words);
    checkpoint.tokenizer_config = read_text(tokenizer + "/tokenizer_config.json");
    checkpoint.config = config.empty() ? slice_config(words, checkpoint.tokenizer) : words;
    const std::uint64_t bytes = write_random_checkpoint(directory, checkpoint);
    fmt::print("{}: {:.2f} GB of weights\n", directory, static_cast<double>(bytes) / 1e9);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
