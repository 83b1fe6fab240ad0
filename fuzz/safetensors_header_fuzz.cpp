// Any bytes as a safetensors file: an Error, or tensors that lie inside the file.

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "checkpoint/safetensors.h"
#include "deepinfer/error.h"
#include "fuzz/fuzz_support.h"

namespace {

using deepinfer::fuzz::require;

/// A file in memory with a path, since the reader maps files.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0, "memfd_create works");
    require(write(descriptor_, data, size) == static_cast<ssize_t>(size), "all bytes are written");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void read_ends(const deepinfer::SafetensorsFile& file) {
  for (const auto& tensor : file.tensors()) {
    require(file.find(tensor.name) == &tensor, "a tensor is found by its name");
    if (tensor.data.empty()) continue;
    // A tensor beyond the mapping ends the program here.
    const volatile std::byte* bytes = tensor.data.data();
    static_cast<void>(bytes[0]);
    static_cast<void>(bytes[tensor.data.size() - 1]);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  bool opened = false;
  try {
    read_ends(deepinfer::SafetensorsFile::open(file.path()));
    opened = true;
  } catch (const deepinfer::Error&) {
  }

  int faults = 0;
  try {
    read_ends(deepinfer::SafetensorsFile::open(file.path(),
                                               [&faults](const deepinfer::Error&) { ++faults; }));
    require(opened == (faults == 0), "the collecting reader sees a fault where the other throws");
  } catch (const deepinfer::Error&) {
    require(!opened, "what the collecting reader refuses, the other refuses too");
  }
  return 0;
}
