#pragma once

// A file that appears whole or not at all: written under a temporary name beside the target, synced
// and renamed over it by commit(). Without commit() nothing is left behind. A target that exists
// and is no regular file (a device, a pipe) is written directly.
//
// One thread. All errors are Error: bad_input if the target's folder does not exist, failed
// otherwise.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace deepinfer::cli {

class OutputFile {
 public:
  /// Throws what the constructor would for a path that has no chance, and creates nothing: to be
  /// called before the work whose result is to be written.
  static void check(const std::string& path, const std::string& where);

  /// Creates the temporary file. `where` names the flag in errors.
  OutputFile(const std::string& path, std::string where);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] static void fail(const std::string& path, const std::string& where,
                                std::string_view what, int code);
  /// Removes the temporary file first.
  [[noreturn]] void fail(std::string_view what, int code);
  void discard() noexcept;

  std::string path_;
  std::string where_;
  std::string temporary_;  // empty: written directly, or renamed already
  int descriptor_ = -1;
};

}  // namespace deepinfer::cli
