#include "backend/pjrt/compile_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "backend/pjrt/cache_entry.h"

namespace deepinfer::pjrt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".program";
constexpr std::string_view kUnfinished = ".unfinished";
// Older than any write that is still going on.
constexpr auto kAbandoned = std::chrono::hours(1);

/// A file of its own name in the entry's folder until it becomes the entry; removed if it does not.
/// Calls return what went wrong, empty if nothing did.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const fs::path& entry)
      : name_(entry.string() + "-XXXXXX" + std::string(kUnfinished)),
        file_(mkstemps(name_.data(), static_cast<int>(kUnfinished.size()))) {}
  ~UnfinishedFile() {
    if (file_ < 0) return;
    ::close(file_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  std::error_code write(std::span<const std::byte> bytes) const {
    if (file_ < 0) return fault();
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return fault();
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  std::error_code become(const fs::path& entry) {
    if (::fsync(file_) != 0) return fault();
    std::error_code failed;
    fs::rename(name_, entry, failed);
    if (!failed) name_.clear();
    return failed;
  }

 private:
  static std::error_code fault() { return {errno, std::generic_category()}; }

  std::string name_;  // empty: it became the entry
  int file_;
};

std::error_code write_entry(const fs::path& entry, const std::string& key,
                            std::span<const std::byte> bytes) {
  std::error_code fault;
  fs::create_directories(entry.parent_path(), fault);
  if (fault) return fault;
  UnfinishedFile file(entry);
  const std::string header = entry_header(key, bytes);
  fault = file.write(std::as_bytes(std::span(header)));
  if (!fault) fault = file.write(bytes);
  if (!fault) fault = file.become(entry);
  return fault;
}

/// Empty if there is no such file, none that can be read, or one that no entry is as large as.
std::optional<std::vector<std::byte>> read_file(const fs::path& path, std::uintmax_t most_bytes) {
  std::error_code fault;
  const std::uintmax_t size = fs::file_size(path, fault);
  std::ifstream file(path, std::ios::binary);
  if (fault || !file || size > most_bytes) return std::nullopt;
  std::vector<std::byte> bytes(size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

struct KeptFile {
  fs::path path;
  std::uintmax_t bytes = 0;
  fs::file_time_type used;
};

}  // namespace

fs::path CompileCache::file_of(const std::string& key) const {
  return folder_ / (key + std::string(kSuffix));
}

std::optional<std::vector<std::byte>> CompileCache::find(const std::string& key,
                                                         std::string_view name) {
  const fs::path path = file_of(key);
  std::optional<std::vector<std::byte>> file = read_file(path, most_bytes_);
  if (!file.has_value()) return std::nullopt;
  const EntryContent content = read_entry(key, *file);
  if (!content.fault.empty()) {
    discard(key, name, "is damaged: " + content.fault);
    return std::nullopt;
  }
  std::error_code ignored;  // a folder for reading only: then nothing is removed for its age either
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  file->erase(file->begin(), file->end() - static_cast<std::ptrdiff_t>(content.bytes.size()));
  return file;
}

void CompileCache::keep(const std::string& key, std::span<const std::byte> bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (!writable_) return;
  }
  const std::error_code fault = write_entry(file_of(key), key, bytes);
  if (!fault) return;
  const std::scoped_lock lock(mutex_);
  if (writable_)
    notes_.push_back(
        fmt::format("the compile cache {} cannot be written, so that the next start compiles "
                    "again: {}",
                    folder_.string(), fault.message()));
  writable_ = false;
}

void CompileCache::discard(const std::string& key, std::string_view name, std::string_view why) {
  std::error_code ignored;
  fs::remove(file_of(key), ignored);
  note(fmt::format("the compile cache's entry for {} {}; it is removed and compiled again: {}",
                   name, why, file_of(key).string()));
}

void CompileCache::trim() {
  std::vector<KeptFile> kept;
  std::uintmax_t total = 0;
  std::error_code fault;
  for (fs::directory_iterator at(folder_, fault), end; !fault && at != end; at.increment(fault)) {
    const std::string name = at->path().filename().string();
    std::error_code gone;  // another process may have been quicker
    const KeptFile file = {.path = at->path(),
                           .bytes = fs::file_size(at->path(), gone),
                           .used = fs::last_write_time(at->path(), gone)};
    if (gone) continue;
    if (name.ends_with(kUnfinished) && file.used + kAbandoned < fs::file_time_type::clock::now())
      fs::remove(file.path, gone);
    if (!name.ends_with(kSuffix)) continue;
    total += file.bytes;
    kept.push_back(file);
  }
  std::sort(kept.begin(), kept.end(),
            [](const KeptFile& a, const KeptFile& b) { return a.used < b.used; });
  for (const KeptFile& file : kept) {
    if (total <= most_bytes_) break;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    total -= file.bytes;
  }
}

void CompileCache::note(std::string text) {
  const std::scoped_lock lock(mutex_);
  notes_.push_back(std::move(text));
}

std::vector<std::string> CompileCache::notes() const {
  const std::scoped_lock lock(mutex_);
  return notes_;
}

}  // namespace deepinfer::pjrt
