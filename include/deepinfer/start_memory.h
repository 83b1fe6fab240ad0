#pragma once

// What memory a started model takes, by name. Plain data.

#include <cstdint>
#include <string>
#include <vector>

namespace deepinfer {

struct MemoryPart {
  std::string name;  ///< "KV buffer", "arena", …
  std::int64_t bytes = 0;
};

struct StartMemory {
  /// Memory of the process's own, all of it taken before the first request.
  std::vector<MemoryPart> parts;
  /// Weights: pages of the checkpoint's files, which the system may drop and read again.
  std::int64_t mapped_bytes = 0;

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const MemoryPart& part : parts) sum += part.bytes;
    return sum;
  }
};

}  // namespace deepinfer
