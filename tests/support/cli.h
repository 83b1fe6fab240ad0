#pragma once

// Short spellings for the tests that start the program. Sizes are small so that a start takes
// milliseconds on the reference backend, too.

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace deepinfer {

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

using Arguments = std::vector<std::string>;

constexpr const char* kT41 = "tests/data/t41";

/// Arguments that make a start quick, behind `arguments`.
Arguments quick(Arguments arguments);

/// Runs the program of this build to its end.
inline ProgramResult call(const Arguments& arguments, const std::string& input = {}) {
  return run_program(DEEPINFER_PROGRAM, {.arguments = arguments, .input = input});
}

}  // namespace deepinfer
