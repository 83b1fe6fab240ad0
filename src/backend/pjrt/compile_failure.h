#pragma once

// What is said of a program that the compiler cannot build. Pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "backend/pjrt/client/device.h"
#include "backend/pjrt/client/executable.h"

namespace deepinfer::pjrt {

/// The end of what a compiler said, where the reason stands: a few lines, as one.
std::string last_lines(std::string_view text);

/// "(x tensor<8x64xf32>, …) -> (tensor<8x64xf32>)", in the text's own spelling.
std::string types_of(const Signature& signature);

/// The error of a program that was tried twice.
Error compile_failure(const Signature& signature, const ApiError& fault);

/// The error of a program that the device has no memory for, as it is compiled or loaded.
/// `counted`: by the device.
Error no_room_for(const Signature& signature, const ApiError& fault,
                  const std::optional<DeviceMemory>& counted);

}  // namespace deepinfer::pjrt
