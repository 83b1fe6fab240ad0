#pragma once

// One safetensors file, mapped read-only, its header parsed and checked.
//
// Owns the mapping: tensors()[i].data points into it and is valid while the object lives, also
// across moves. open() touches the pages of the header only. Immutable, so any thread may read it.
// Faults are Error (bad_input) naming file, tensor, expected and found.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/fault_sink.h"
#include "checkpoint/mapped_file.h"
#include "deepinfer/checkpoint.h"

namespace deepinfer {

class SafetensorsFile {
 public:
  /// Throws at the first fault.
  static SafetensorsFile open(const std::string& path);
  /// Reports the faults of single tensors to `sink` and goes on without them; throws if the header
  /// as a whole cannot be used.
  static SafetensorsFile open(const std::string& path, const FaultSink& sink);

  const std::string& path() const { return path_; }
  /// In name order.
  std::span<const StoredTensor> tensors() const { return tensors_; }
  /// nullptr if there is no such tensor.
  const StoredTensor* find(std::string_view name) const;
  /// Names reported to the sink, in name order: in the header but not in tensors().
  std::span<const std::string> damaged() const { return damaged_; }
  /// At most one sentence: bytes behind the last tensor.
  std::span<const std::string> warnings() const { return warnings_; }

 private:
  SafetensorsFile(std::string path, MappedFile file);

  std::string path_;
  MappedFile file_;
  std::vector<StoredTensor> tensors_;
  std::vector<std::string> damaged_;
  std::vector<std::string> warnings_;
};

}  // namespace deepinfer
