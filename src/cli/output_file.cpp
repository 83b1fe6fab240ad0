#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "deepinfer/error.h"

namespace deepinfer::cli {
namespace {

constexpr mode_t kReadableByAll = 0644;

bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

/// What a link points to, so that the link stays; the path itself if it is none (or loops: then
/// creating the file fails and says so).
std::string target_of(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_symlink(path, code)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, code);
  return code ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path, std::string where)
    : path_(target_of(path)), where_(std::move(where)) {
  // A file size limit is to be an error of write(), not a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  check(path_, where_);
  if (is_special(path_)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = path_ + ".XXXXXX";
    descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor_ < 0) temporary_.clear();
  }
  if (descriptor_ < 0) fail("cannot create the file", errno);
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::fail(std::string_view what, int code) {
  discard();
  fail(path_, where_, what, code);
}

void OutputFile::fail(const std::string& path, const std::string& where, std::string_view what,
                      int code) {
  const ErrorDetail detail{.expected = {},
                           .got = "'" + path + "' (" + std::generic_category().message(code) + ")",
                           .hint = {}};
  const bool wrong_path =
      code == ENOENT || code == ENOTDIR || code == EISDIR || code == ENAMETOOLONG;
  throw wrong_path ? Error::bad_input(where, what, detail) : Error::failed(where, what, detail);
}

void OutputFile::check(const std::string& path, const std::string& where) {
  if (path.empty()) fail(path, where, "is empty", ENOENT);
  if (is_directory(path)) fail(path, where, "is a directory", EISDIR);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string needed = is_special(path) ? path : folder.empty() ? "." : folder.string();
  if (access(needed.c_str(), W_OK) != 0) fail(path, where, "cannot create the file", errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write the file", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void OutputFile::commit() {
  if (temporary_.empty()) {
    const int result = close(descriptor_);
    descriptor_ = -1;
    if (result != 0) fail("cannot write the file", errno);
    return;
  }
  // mkostemp makes files private; this one is an ordinary result.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor_, kReadableByAll & ~mask) != 0) fail("cannot set the mode", errno);
  if (fsync(descriptor_) != 0) fail("cannot write the file", errno);
  const int result = close(descriptor_);
  descriptor_ = -1;
  if (result != 0) fail("cannot write the file", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename the file", errno);
  temporary_.clear();
}

}  // namespace deepinfer::cli
