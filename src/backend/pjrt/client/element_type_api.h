#pragma once

// Element types in the C API's numbers. For the .cpp files of this folder.

#include <pjrt_c_api.h>

#include <optional>

#include "backend/pjrt/client/api.h"
#include "backend/pjrt/client/tensor_type.h"

namespace deepinfer::pjrt {

/// Throws Error (failed) if the plug-in is older than the type: a number it does not know could end
/// the process.
PJRT_Buffer_Type api_type(const Api& api, Element type, std::string_view where);
/// None: a type that this project has no name for.
std::optional<Element> element_of(PJRT_Buffer_Type type);

}  // namespace deepinfer::pjrt
