#include "core/system_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace deepinfer {
namespace {

std::int64_t machine_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kilobytes = 0;
  std::string unit;
  while (file >> key >> kilobytes >> unit)
    if (key == "MemAvailable:") return kilobytes * 1024;
  return 0;
}

/// A number from a one-line file; -1 if it is missing or not a number ("max").
std::int64_t number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t value = -1;
  return file >> value ? value : -1;
}

std::int64_t cgroup_left() {
  const std::int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::int64_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit < 0 || used < 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(limit - used, 0);
}

}  // namespace

std::int64_t available_memory() { return std::min(machine_available(), cgroup_left()); }

}  // namespace deepinfer
