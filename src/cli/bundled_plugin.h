#pragma once

// The PJRT plug-in used when --pjrt-plugin is not given: the CPU one that `make pjrt` fetched.

#include <string>

#include "deepinfer/options.h"

namespace deepinfer::cli {

/// options.pjrt_plugin; where backend pjrt has none, the fetched plug-in of the tree that the
/// program was built in, if it is there, else empty.
std::string plugin_file(const Options& options);

}  // namespace deepinfer::cli
