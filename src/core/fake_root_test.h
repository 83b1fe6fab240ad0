#pragma once

// A temporary directory that stands for "/" in tests of what is read from /proc and /sys. Removed
// with its owner.

#include <filesystem>
#include <map>
#include <string>

#include "core/temporary_folder_test.h"

namespace deepinfer {

class FakeRoot {
 public:
  /// `files`: path below the root to text.
  explicit FakeRoot(const std::map<std::string, std::string>& files) {
    for (const auto& [file, text] : files) {
      std::filesystem::create_directories((path() / file).parent_path());
      folder_.write(file, text);
    }
  }

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace deepinfer
