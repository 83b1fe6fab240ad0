#include "core/processor_count.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace deepinfer {
namespace {

/// Whole processors that the cgroup's quota grants, rounded up; "unlimited" if there is none.
int quota_processors() {
  constexpr int kUnlimited = std::numeric_limits<int>::max();
  const auto granted = [](double quota, double period) {
    return quota > 0 && period > 0
               ? std::max(1, static_cast<int>(std::min((quota + period - 1) / period, 1e6)))
               : kUnlimited;
  };
  double quota = 0;
  double period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period)
    return granted(quota, period);  // "max 100000" does not parse as a number: no limit
  std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) return granted(quota, period);
  return kUnlimited;
}

/// (package, core) of a logical processor; a processor without topology is a core of its own.
std::pair<int, int> core_of(int processor) {
  const std::string directory =
      "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
  std::pair<int, int> core = {-1, processor};
  std::ifstream package_file(directory + "physical_package_id");
  std::ifstream core_file(directory + "core_id");
  int package = 0;
  int id = 0;
  if (package_file >> package && core_file >> id) core = {package, id};
  return core;
}

}  // namespace

int allowed_processors() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int in_mask = sched_getaffinity(0, sizeof mask, &mask) == 0
                          ? CPU_COUNT(&mask)
                          : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, std::min(in_mask, quota_processors()));
}

int allowed_physical_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return allowed_processors();
  std::set<std::pair<int, int>> cores;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &mask)) cores.insert(core_of(processor));
  return std::max(1, std::min(static_cast<int>(cores.size()), quota_processors()));
}

}  // namespace deepinfer
