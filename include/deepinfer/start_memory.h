#pragma once

// What memory a started model takes, by name. Plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deepinfer {

struct MemoryPart {
  std::string name;  ///< "KV buffer", "arena", …
  std::int64_t bytes = 0;
};

/// Memory of a device that has its own.
struct DeviceMemoryUse {
  std::vector<MemoryPart> parts;       ///< what was taken there, by name
  std::optional<std::int64_t> in_use;  ///< as the device itself counts
  std::optional<std::int64_t> limit;   ///< of the device
};

struct StartMemory {
  /// Memory of the process's own, all of it taken before the first request.
  std::vector<MemoryPart> parts;
  /// Weights: pages of the checkpoint's files, which the system may drop and read again.
  std::int64_t mapped_bytes = 0;
  std::optional<DeviceMemoryUse> device;  ///< none: graphs run in the process's own memory

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const MemoryPart& part : parts) sum += part.bytes;
    return sum;
  }
};

}  // namespace deepinfer
