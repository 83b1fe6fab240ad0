#pragma once

// The devices of a client, as shown to people.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/pjrt/client/named_value.h"

namespace deepinfer::pjrt {

/// Bytes; parts that the plug-in does not know are empty.
struct DeviceMemory {
  std::int64_t in_use = 0;
  std::optional<std::int64_t> peak;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> largest_free;
};

struct DeviceInfo {
  int id = 0;
  std::optional<int> hardware_id;  ///< none: not known
  std::string kind;
  std::string text;
  std::vector<std::string> memory_kinds;
  std::vector<Attribute> attributes;
  std::optional<DeviceMemory> memory;  ///< none: the plug-in does not count
};

}  // namespace deepinfer::pjrt
