#pragma once

// Named arrays of a goldens file, copied out by type. Throws Error if a name or type is wrong.

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "core/shape.h"

namespace deepinfer {

class GoldenFile {
 public:
  explicit GoldenFile(const std::string& path) : file_(SafetensorsFile::open(path)) {}

  std::vector<float> f32(const std::string& name) const;
  std::vector<std::int32_t> i32(const std::string& name) const;
  std::vector<std::int64_t> i64(const std::string& name) const;
  std::vector<std::uint8_t> u8(const std::string& name) const;
  Shape shape(const std::string& name) const;

 private:
  const StoredTensor& tensor(const std::string& name) const;
  template <typename T>
  std::vector<T> copy(const std::string& name, DType dtype) const;

  SafetensorsFile file_;
};

}  // namespace deepinfer
