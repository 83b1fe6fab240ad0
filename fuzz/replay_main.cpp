// Stands in for libFuzzer in ordinary builds: feeds every file of the given folders, and the empty
// input, to the fuzz target. Ends with 1 when a folder holds nothing, since then nothing was tried.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::filesystem::path> files_under(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)),
                          std::istreambuf_iterator<char>());
  // An own vector of exactly this size, so that AddressSanitizer sees a read one byte past the end.
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

int replay_all(int folder_count, char** folders) {
  size_t replayed = 0;
  for (int i = 0; i < folder_count; ++i) {
    for (const auto& file : files_under(folders[i])) {
      std::printf("%s\n", file.string().c_str());
      std::fflush(stdout);  // The name of the input has to be out before it crashes.
      replay(file);
      ++replayed;
    }
  }
  const uint8_t nothing = 0;
  LLVMFuzzerTestOneInput(&nothing, 0);
  std::printf("%zu inputs replayed\n", replayed);
  return replayed > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return replay_all(argc - 1, argv + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "[fuzz replay] %s\n", error.what());
    return 1;
  }
}
