#pragma once

// Zeroed memory aligned to a cache line, for arenas. Owns its bytes; move-only.

#include <cstddef>
#include <cstdlib>
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
    constexpr std::size_t kAlignment = MemoryPlan::kAlignment;
    const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, padded)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_.get(), 0, padded);
  }

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace deepinfer::host
