#pragma once

// A model directory whose config.json differs from a given one in a few fields. Tensors are linked,
// not copied.

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace deepinfer {

/// Owns the directory, which is removed with it.
class EditedConfig {
 public:
  /// `directory`: a model under tests/data, see test_model().
  EditedConfig(const std::string& directory, const std::function<void(nlohmann::json&)>& edit);
  EditedConfig(const EditedConfig&) = delete;
  EditedConfig& operator=(const EditedConfig&) = delete;
  ~EditedConfig();

  std::string directory() const { return directory_.string(); }

 private:
  std::filesystem::path directory_;
};

}  // namespace deepinfer
