#pragma once

// Where this process's control groups are mounted: the files there limit its processors and memory.

#include <filesystem>
#include <string_view>
#include <vector>

namespace deepinfer {

/// The directories whose limits apply to this process, its own group first, then every group above
/// it; unified (v2) and per-controller (v1) mounts both, as far as they exist. `root` stands for
/// "/" (tests give a copy).
std::vector<std::filesystem::path> cgroup_directories(std::string_view controller,
                                                      const std::filesystem::path& root = "/");

}  // namespace deepinfer
