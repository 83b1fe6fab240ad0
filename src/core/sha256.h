#pragma once

// SHA-256 (FIPS 180-4): names for contents, and checks that files are what was written. Plain C++,
// about 200 MB per second.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace deepinfer {

/// The digest of bytes that come in parts. One thread.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// As 64 lower-case hex digits. Called once, last.
  std::string finish();

 private:
  static constexpr std::size_t kBlock = 64;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> rest_{};  // what came behind the last whole block
  std::uint64_t bytes_ = 0;
};

/// As 64 lower-case hex digits.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);
/// Of a whole file. Throws Error (bad_input) if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace deepinfer
