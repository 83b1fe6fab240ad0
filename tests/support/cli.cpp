#include "tests/support/cli.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace deepinfer {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "deepinfer-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
  return file(name);
}

std::vector<std::string> quick(std::vector<std::string> arguments) {
  for (const char* extra : {"--max-batch", "2", "--prefill-bucket", "16", "--log-level", "error"})
    arguments.emplace_back(extra);
  return arguments;
}

}  // namespace deepinfer
