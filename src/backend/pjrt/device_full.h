#pragma once

// The error of a device that has no memory left: what was being made, what the device holds, what
// makes it less. Pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backend/pjrt/client/api_error.h"
#include "backend/pjrt/client/device.h"

namespace deepinfer::pjrt {

/// Bytes on the device.
struct DeviceAccount {
  std::int64_t weights = 0;
  std::int64_t caches = 0;
  std::optional<DeviceMemory> counted = {};  ///< by the device itself
};

/// `name` is what there was no room for, `asked` what it takes: "this one 16". `hint`: what takes
/// less. Carries the plug-in's own text.
Error device_full(std::string_view name, std::string_view asked, const DeviceAccount& account,
                  std::string_view hint, const ApiError& fault);

inline constexpr std::string_view kLessForWeights = "the model needs a device with more memory";
inline constexpr std::string_view kLessForCaches =
    "a smaller --kv-memory, --max-batch or --prefill-bucket takes less";
inline constexpr std::string_view kLessForPrograms =
    "a smaller --max-batch, --prefill-bucket or --kv-memory takes less";

}  // namespace deepinfer::pjrt
