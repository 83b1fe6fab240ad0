#pragma once

// Compiled programs in a folder, so that a later start need not compile them.
//
// One file per entry, `<key>.program`: four lines (format, key, length, checksum), then the bytes.
// It is written under another name, synced and renamed: a process that ends in between leaves
// nothing that is ever used. What is damaged is noticed, removed and said. A folder that cannot be
// used is said once, and nothing is kept then. Several processes may share a folder, several
// threads may share an object. No call throws for what the folder holds or refuses.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepinfer::pjrt {

class CompileCache {
 public:
  /// What a folder may hold. The released model's programs for one set of options take a few
  /// hundred megabytes on a device whose programs are large, a few megabytes on the CPU plug-in.
  static constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 30;

  /// The folder is made when something is first kept.
  explicit CompileCache(std::filesystem::path folder, std::uintmax_t most_bytes = kMostBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// What was kept under `key` (a file name); empty if nothing was, or nothing that can be trusted.
  /// `name` is what notes call the program.
  std::optional<std::vector<std::byte>> find(const std::string& key, std::string_view name);
  void keep(const std::string& key, std::span<const std::byte> bytes);
  /// Removes an entry that could not be used after all.
  void discard(const std::string& key, std::string_view name, std::string_view why);
  /// Removes the entries that were not used for longest until the folder holds no more than it may,
  /// and what processes that were killed left half-written.
  void trim();

  const std::filesystem::path& folder() const { return folder_; }
  /// What people must be told, in the order it happened.
  std::vector<std::string> notes() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void note(std::string text);

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
  mutable std::mutex mutex_;  // of what follows
  bool writable_ = true;
  std::vector<std::string> notes_;
};

}  // namespace deepinfer::pjrt
