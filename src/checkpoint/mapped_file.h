#pragma once

// A whole file mapped read-only.
//
// The object owns the mapping; bytes() stays valid, at the same address, until it is destroyed,
// also across moves. Nothing is read before a byte is touched. Immutable, so any thread may read
// it. A file that cannot be mapped is an Error (bad_input) with the path and the system's reason.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace deepinfer {

class MappedFile {
 public:
  static MappedFile open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  explicit MappedFile(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::span<std::byte> bytes_;  // pages are read-only; munmap wants it like this
};

}  // namespace deepinfer
