#pragma once

// How much memory this process may still take.

#include <cstdint>
#include <filesystem>

namespace deepinfer {

/// Bytes: MemAvailable of the machine, or what is left under the limit of any of the process's
/// cgroups if that is less (file cache charged to a group counts as free, as in MemAvailable).
/// 0 if neither can be read. `root` stands for "/" (tests give a copy).
std::int64_t available_memory(const std::filesystem::path& root = "/");

}  // namespace deepinfer
