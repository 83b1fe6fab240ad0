#include "core/system_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "core/cgroup.h"

namespace deepinfer {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNoMemoryLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t machine_available(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "MemAvailable:";
    if (line.rfind(kKey, 0) != 0) continue;
    return std::strtoll(line.c_str() + kKey.size(), nullptr, 10) * 1024;
  }
  return 0;
}

/// A number from a one-line file; -1 if it is missing or not a number ("max").
std::int64_t number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t value = -1;
  return file >> value ? value : -1;
}

/// Bytes of file cache charged to the group and the groups below it.
std::int64_t file_cache(const fs::path& group, const std::string& prefix) {
  std::ifstream file(group / "memory.stat");
  std::int64_t total = 0;
  std::string key;
  for (std::int64_t bytes = 0; file >> key >> bytes;)
    if (key == prefix + "active_file" || key == prefix + "inactive_file") total += bytes;
  return total;
}

std::int64_t left_in(const fs::path& group, const char* limit_file, const char* used_file,
                     const std::string& prefix) {
  const std::int64_t limit = number_in(group / limit_file);
  const std::int64_t used = number_in(group / used_file);
  if (limit < 0 || used < 0) return kNoMemoryLimit;
  const std::int64_t kept = std::max<std::int64_t>(used - file_cache(group, prefix), 0);
  return std::max<std::int64_t>(limit - kept, 0);
}

}  // namespace

std::int64_t available_memory(const fs::path& root) {
  std::int64_t least = machine_available(root);
  for (const fs::path& group : cgroup_directories("memory", root)) {
    least = std::min(least, left_in(group, "memory.max", "memory.current", ""));
    // Version 1 keeps the sums over the groups below under "total_".
    least =
        std::min(least, left_in(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"));
  }
  return least;
}

}  // namespace deepinfer
