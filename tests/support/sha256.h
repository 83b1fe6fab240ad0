#pragma once

// SHA-256 (FIPS 180-4), to tell that a checkpoint is the one the goldens were made from.

#include <span>
#include <string>

namespace deepinfer {

/// As 64 lower-case hex digits.
std::string sha256(std::span<const unsigned char> bytes);
/// Of a whole file. Throws Error if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace deepinfer
