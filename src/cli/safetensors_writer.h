#pragma once

// Writes named arrays as a safetensors file. Tensors keep the order of add(); the arrays must live
// until write(). One thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/output_file.h"

namespace deepinfer::cli {

class SafetensorsWriter {
 public:
  /// REQUIRES: the extents' product is the array's size; names are unique.
  void add(std::string name, std::vector<std::int64_t> shape, std::span<const float> data);
  void add(std::string name, std::vector<std::int64_t> shape, std::span<const std::int64_t> data);

  /// Throws Error as OutputFile does. The caller commits.
  void write(OutputFile& file) const;

 private:
  struct Entry {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> data;
  };
  std::vector<Entry> entries_;
};

}  // namespace deepinfer::cli
