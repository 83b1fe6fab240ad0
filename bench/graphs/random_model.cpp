#include "bench/graphs/random_model.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "deepinfer/error.h"
#include "tools/slice/random_checkpoint.h"
#include "tools/slice/slice_config.h"

namespace deepinfer::bench {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

RandomModel::RandomModel(const fs::path& released, const fs::path& tokenizer) {
  std::string pattern = (fs::temp_directory_path() / "deepinfer-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error::failed(pattern, "cannot make a temporary directory");
  directory_ = pattern;
  try {
    bytes_ = write_random_checkpoint(
        directory_, {.config = small_slice_config(read_text(released / "config.json")),
                     .tokenizer = read_text(tokenizer / "tokenizer.json"),
                     .tokenizer_config = read_text(tokenizer / "tokenizer_config.json")});
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    throw;
  }
}

RandomModel::~RandomModel() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace deepinfer::bench
