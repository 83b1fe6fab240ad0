#include "core/processor_count.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "core/cgroup.h"

namespace deepinfer {
namespace {

constexpr int kNoCoreLimit = std::numeric_limits<int>::max();
constexpr double kMostProcessors = 1e6;  // keeps a nonsensical quota inside int

int granted(double quota, double period) {
  if (!(quota > 0 && period > 0)) return kNoCoreLimit;  // -1 is "no quota"
  return std::max(1, static_cast<int>(std::min((quota + period - 1) / period, kMostProcessors)));
}

/// The quota of one group; "max 100000" does not parse as a number: no limit.
int quota_in(const std::filesystem::path& group) {
  double quota = 0;
  double period = 0;
  if (std::ifstream unified(group / "cpu.max"); unified >> quota >> period)
    return granted(quota, period);
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) return granted(quota, period);
  return kNoCoreLimit;
}

int number_in(const std::filesystem::path& path, int otherwise) {
  std::ifstream file(path);
  int number = 0;
  return file >> number ? number : otherwise;
}

/// (package, die, core) of a logical processor; one without topology is a core of its own.
std::tuple<int, int, int> core_of(int processor, const std::filesystem::path& root) {
  const auto folder =
      root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) / "topology";
  const int core = number_in(folder / "core_id", -1);
  if (core < 0) return {-1, -1, processor};
  return {number_in(folder / "physical_package_id", 0), number_in(folder / "die_id", 0), core};
}

/// Logical processors of the affinity mask.
std::vector<int> processors_in_mask() {
  std::vector<int> processors;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(processor, &mask)) processors.push_back(processor);
  } else {  // more processors than the fixed mask holds
    const int count = static_cast<int>(std::thread::hardware_concurrency());
    for (int processor = 0; processor < count; ++processor) processors.push_back(processor);
  }
  return processors;
}

}  // namespace

int quota_processors(const std::filesystem::path& root) {
  int least = kNoCoreLimit;
  for (const auto& group : cgroup_directories("cpu", root))
    least = std::min(least, quota_in(group));
  return least;
}

int count_cores(const std::vector<int>& processors, const std::filesystem::path& root) {
  std::set<std::tuple<int, int, int>> cores;
  for (const int processor : processors) cores.insert(core_of(processor, root));
  return static_cast<int>(cores.size());
}

int allowed_processors() {
  return std::max(1, std::min(static_cast<int>(processors_in_mask().size()), quota_processors()));
}

int allowed_physical_cores() {
  return std::max(1, std::min(count_cores(processors_in_mask()), quota_processors()));
}

}  // namespace deepinfer
