#pragma once

// The backend that runs graphs on a device behind a PJRT plug-in.
//
// It opens the plug-in and its first device, and shares between the executables what they have in
// common there: weights, roots, programs of the same text. Roots live on the device from the first
// run on. One thread at a time.

#include <memory>

#include "backend/backend.h"

namespace deepinfer::pjrt {

/// Throws Error (bad_input) without --pjrt-plugin, if that is no plug-in this build can use or
/// --compile-backend cannot be read; ApiError if the device does not start.
std::unique_ptr<Backend> make_pjrt_backend(const Options& options);

}  // namespace deepinfer::pjrt
