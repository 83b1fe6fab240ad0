#pragma once

// How much memory this process may still take.

#include <cstdint>

namespace deepinfer {

/// Bytes: MemAvailable of the machine, or what is left under the process's cgroup limit if that is
/// less. 0 if neither can be read.
std::int64_t available_memory();

}  // namespace deepinfer
