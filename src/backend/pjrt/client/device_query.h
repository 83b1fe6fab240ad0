#pragma once

// Asks a plug-in about one device. For the .cpp files of this folder.

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/device.h"

namespace deepinfer::pjrt {

/// Throws ApiError, except about what a plug-in says it has not implemented.
DeviceInfo query_device(const Api& api, PJRT_Device* device);
std::optional<DeviceMemory> query_memory(const Api& api, PJRT_Device* device);

}  // namespace deepinfer::pjrt
