#include "core/cgroup.h"

#include <gtest/gtest.h>

#include "core/fake_root_test.h"
#include "core/processor_count.h"
#include "core/system_memory.h"

namespace deepinfer {
namespace {

using Paths = std::vector<std::filesystem::path>;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

TEST(Cgroup, unified_groups_are_listed_from_the_inside_out) {
  const FakeRoot root({{"proc/self/cgroup", "0::/user/service\n"},
                       {"sys/fs/cgroup/user/service/cpu.max", "max 100000\n"}});
  const auto mount = root.path() / "sys/fs/cgroup";
  EXPECT_EQ(cgroup_directories("cpu", root.path()),
            (Paths{mount / "user/service", mount / "user", mount}));
}

TEST(Cgroup, a_controller_is_matched_by_its_whole_name) {
  const FakeRoot root({{"proc/self/cgroup", "3:cpuset:/a\n2:cpu,cpuacct:/b\nnonsense\n"},
                       {"sys/fs/cgroup/cpuset/a/x", ""},
                       {"sys/fs/cgroup/cpu/b/x", ""}});
  const auto mount = root.path() / "sys/fs/cgroup/cpu";
  EXPECT_EQ(cgroup_directories("cpu", root.path()), (Paths{mount / "b", mount}));
}

TEST(Cgroup, a_path_of_the_host_falls_back_to_the_mount) {
  const FakeRoot root({{"proc/self/cgroup", "0::/host/only\n"}, {"sys/fs/cgroup/cpu.max", ""}});
  EXPECT_EQ(cgroup_directories("cpu", root.path()), (Paths{root.path() / "sys/fs/cgroup"}));
}

TEST(ProcessorCount, the_smallest_quota_on_the_way_up_counts) {
  const FakeRoot root({{"proc/self/cgroup", "0::/a/b\n"},
                       {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
                       {"sys/fs/cgroup/a/cpu.max", "250000 100000\n"},
                       {"sys/fs/cgroup/cpu.max", "800000 100000\n"}});
  EXPECT_EQ(quota_processors(root.path()), 3);  // 2.5 rounds up
}

TEST(ProcessorCount, version_1_quota) {
  const FakeRoot root({{"proc/self/cgroup", "1:cpu:/job\n"},
                       {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n"},
                       {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"},
                       {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                       {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}});
  EXPECT_EQ(quota_processors(root.path()), 1);
}

TEST(ProcessorCount, without_a_quota_there_is_no_limit) {
  const FakeRoot none({{"proc/self/cgroup", "1:cpu:/\n0::/\n"},
                       {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                       {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
                       {"sys/fs/cgroup/cpu.max", "garbage\n"}});
  EXPECT_GT(quota_processors(none.path()), 1 << 20);
  EXPECT_GT(quota_processors(FakeRoot({}).path()), 1 << 20);
}

TEST(ProcessorCount, hyper_threads_of_a_core_count_once) {
  std::map<std::string, std::string> files;
  const auto add = [&](int processor, int package, int core) {
    const std::string folder =
        "sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
    files[folder + "physical_package_id"] = std::to_string(package) + "\n";
    files[folder + "core_id"] = std::to_string(core) + "\n";
  };
  add(0, 0, 0);
  add(1, 0, 1);
  add(2, 1, 0);
  add(3, 0, 0);  // sibling of 0
  add(4, 1, 0);  // sibling of 2
  const FakeRoot root(files);
  EXPECT_EQ(count_cores({0, 1, 2, 3, 4}, root.path()), 3);
  EXPECT_EQ(count_cores({0, 3}, root.path()), 1);
  EXPECT_EQ(count_cores({2, 4, 7, 8}, root.path()), 3);  // unknown processors are cores
}

TEST(ProcessorCount, this_machine_has_at_least_one) {
  EXPECT_GE(allowed_physical_cores(), 1);
  EXPECT_GE(allowed_processors(), allowed_physical_cores());
}

TEST(SystemMemory, page_cache_of_the_group_can_be_taken) {
  const FakeRoot root({{"proc/meminfo", "MemTotal: 99 kB\nMemAvailable: 67108864 kB\n"},
                       {"proc/self/cgroup", "0::/job\n"},
                       {"sys/fs/cgroup/job/memory.max", "8589934592\n"},
                       {"sys/fs/cgroup/job/memory.current", "7516192768\n"},  // 7 GiB …
                       {"sys/fs/cgroup/job/memory.stat",  // … of which 5 cache
                        "anon 1\nactive_file 1073741824\ninactive_file 4294967296\n"}});
  EXPECT_EQ(available_memory(root.path()), 6 * kGiB);
}

TEST(SystemMemory, version_1_limit) {
  const FakeRoot root({{"proc/meminfo", "MemAvailable: 67108864 kB\n"},
                       {"proc/self/cgroup", "4:memory:/job\n"},
                       {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
                       {"sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n"},
                       {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3221225472\n"},
                       {"sys/fs/cgroup/memory/job/memory.usage_in_bytes", "2147483648\n"},
                       {"sys/fs/cgroup/memory/job/memory.stat",
                        "active_file 7\ntotal_active_file 536870912\ntotal_inactive_file 0\n"}});
  EXPECT_EQ(available_memory(root.path()), 3 * kGiB / 2);
}

TEST(SystemMemory, without_a_group_the_machine_counts) {
  const FakeRoot root({{"proc/meminfo", "MemFree: 1 kB\nMemAvailable: 1024 kB\n"},
                       {"proc/self/cgroup", "0::/\n"},
                       {"sys/fs/cgroup/memory.max", "max\n"}});
  EXPECT_EQ(available_memory(root.path()), 1 << 20);
  EXPECT_EQ(available_memory(FakeRoot({}).path()), 0);
  EXPECT_GT(available_memory(), 0);
}

}  // namespace
}  // namespace deepinfer
