#pragma once

// A temporary directory that stands for "/" in tests of what is read from /proc and /sys. Removed
// with its owner.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace deepinfer {

class FakeRoot {
 public:
  /// `files`: path below the root to text.
  explicit FakeRoot(const std::map<std::string, std::string>& files) {
    std::string name = (std::filesystem::temp_directory_path() / "deepinfer_root_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
    for (const auto& [file, text] : files) {
      std::filesystem::create_directories((path_ / file).parent_path());
      std::ofstream(path_ / file) << text;
    }
  }
  ~FakeRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace deepinfer
