#pragma once

// How many processors this process may use: its affinity mask and its cgroup's processor quota.
// `root` stands for "/" (tests give a copy).

#include <filesystem>
#include <vector>

namespace deepinfer {

/// Logical processors; at least 1.
int allowed_processors();

/// Physical cores among them (two hyper-threads of a core count once); at least 1.
int allowed_physical_cores();

/// Whole processors that the cgroup's quota grants, rounded up; the largest int if there is none.
int quota_processors(const std::filesystem::path& root = "/");

/// Physical cores that the logical `processors` belong to.
int count_cores(const std::vector<int>& processors, const std::filesystem::path& root = "/");

}  // namespace deepinfer
