#include "core/cgroup.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace deepinfer {
namespace {

namespace fs = std::filesystem;

/// Whether the comma-separated `list` has `name`.
bool lists(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view first = list.substr(0, list.find(','));
    if (first == name) return true;
    list.remove_prefix(std::min(list.size(), first.size() + 1));
  }
  return false;
}

/// Adds mount/group, then each directory above it up to the mount itself. A container may see the
/// host's group path under a mount that lacks it: what does not exist is left out.
void add_with_parents(const fs::path& mount, std::string_view group, std::vector<fs::path>& found) {
  std::error_code ignored;
  while (!group.empty() && group.front() == '/') group.remove_prefix(1);
  for (fs::path below = group; !below.empty(); below = below.parent_path())
    if (fs::is_directory(mount / below, ignored)) found.push_back(mount / below);
  if (fs::is_directory(mount, ignored)) found.push_back(mount);
}

}  // namespace

std::vector<fs::path> cgroup_directories(std::string_view controller, const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  std::vector<fs::path> found;
  // A line is "number:controllers:path"; number 0 with no controllers is the unified hierarchy.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view text = line;
    const std::string_view controllers = text.substr(first + 1, second - first - 1);
    if (controllers.empty()) add_with_parents(mounts, text.substr(second + 1), found);
    if (lists(controllers, controller))
      add_with_parents(mounts / controller, text.substr(second + 1), found);
  }
  return found;
}

}  // namespace deepinfer
