#pragma once

// Named values in the C API's own form. For the .cpp files of this folder.

#include <pjrt_c_api.h>

#include <span>
#include <vector>

#include "backend/pjrt/client/named_value.h"

namespace deepinfer::pjrt {

/// Attributes that a plug-in handed out, copied.
std::vector<Attribute> attributes_of(const PJRT_NamedValue* values, std::size_t count);

/// Points into `options`, which must outlive it.
std::vector<PJRT_NamedValue> named_values(std::span<const NamedOption> options);

}  // namespace deepinfer::pjrt
