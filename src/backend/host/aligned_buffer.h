#pragma once

// Zeroed memory aligned to a cache line, for arenas. Owns its bytes; move-only.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "graph/memory_plan.h"

namespace deepinfer::host {

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    data_.reset(static_cast<std::byte*>(::operator new[](bytes, kAlignment)));
    std::memset(data_.get(), 0, bytes);
  }

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  static constexpr auto kAlignment = static_cast<std::align_val_t>(MemoryPlan::kAlignment);

  struct Free {
    void operator()(std::byte* pointer) const { ::operator delete[](pointer, kAlignment); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace deepinfer::host
