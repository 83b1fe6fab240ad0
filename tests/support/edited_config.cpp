#include "tests/support/edited_config.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace deepinfer {

EditedConfig::EditedConfig(const std::string& directory,
                           const std::function<void(nlohmann::json&)>& edit) {
  std::string pattern = (std::filesystem::temp_directory_path() / "deepinfer-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  directory_ = pattern;
  nlohmann::json config;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename() == "config.json")
      std::ifstream(entry.path()) >> config;
    else
      std::filesystem::create_symlink(std::filesystem::absolute(entry.path()),
                                      directory_ / entry.path().filename());
  }
  edit(config);
  std::ofstream(directory_ / "config.json") << config;
}

EditedConfig::~EditedConfig() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace deepinfer
