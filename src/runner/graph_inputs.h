#pragma once

// Where the inputs of a captured graph lay when it was captured: the executable holds these
// addresses, so they must not change while it lives. Checked before every replay.
//
// Plain values; no allocation after construction.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cache/kv_caches.h"
#include "runner/input_metadata.h"

namespace deepinfer {

/// Memory of one input. The id tells a new allocation at an old address from the old one.
struct InputPlace {
  std::uint64_t storage = 0;
  const std::byte* address = nullptr;

  bool operator==(const InputPlace&) const = default;
};

class GraphInputs {
 public:
  /// Records the places of all metadata fields and roots. Both must outlive this.
  GraphInputs(const MetadataBuffers& device, const KvCaches& caches);

  /// Throws Error (bad_input) naming the first input that is no longer where it was recorded.
  void check() const;

  struct Input {
    std::string name;
    InputPlace place;
  };
  /// Metadata fields in their order, then the roots.
  const std::vector<Input>& inputs() const { return inputs_; }

 private:
  InputPlace place_of_field(std::size_t field) const;
  InputPlace place_of_root(CacheRoot root) const;

  const MetadataBuffers& device_;
  const KvCaches& caches_;
  std::vector<Input> inputs_;
};

}  // namespace deepinfer
