#include "core/process_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace deepinfer {

namespace {

/// The number of kB behind `key` in a status file, in bytes.
std::int64_t status_bytes(const std::filesystem::path& status, std::string_view key) {
  std::ifstream file(status);
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key, 0) == 0) return std::strtoll(line.c_str() + key.size(), nullptr, 10) * 1024;
  return 0;
}

}  // namespace

std::int64_t anonymous_resident(const std::filesystem::path& status) {
  return status_bytes(status, "RssAnon:");
}

std::int64_t peak_resident(const std::filesystem::path& status) {
  return status_bytes(status, "VmHWM:");
}

bool forget_peak_resident(const std::filesystem::path& clear_refs) {
  std::ofstream file(clear_refs);
  file << "5\n";  // resets the peak and nothing else (proc_pid_clear_refs)
  file.flush();
  return file.good();
}

std::int64_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

void return_free_heap() { malloc_trim(0); }

}  // namespace deepinfer
