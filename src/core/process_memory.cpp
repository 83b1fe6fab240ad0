#include "core/process_memory.h"

#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace deepinfer {

std::int64_t anonymous_resident(const std::filesystem::path& status) {
  std::ifstream file(status);
  constexpr std::string_view kKey = "RssAnon:";
  for (std::string line; std::getline(file, line);)
    if (line.rfind(kKey, 0) == 0)
      return std::strtoll(line.c_str() + kKey.size(), nullptr, 10) * 1024;
  return 0;
}

std::int64_t heap_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

void return_free_heap() { malloc_trim(0); }

}  // namespace deepinfer
