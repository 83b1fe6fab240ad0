#pragma once

// Entry j of a sequence in a block cache. Non-owning.

#include "backend/tensor_ref.h"

namespace deepinfer::reference {

class PagedCache {
 public:
  /// `cache`: u8 [blocks, entries, record]; `block_table`: i32 [slots, blocks of a sequence].
  PagedCache(const TensorRef& cache, const TensorRef& block_table)
      : cache_(cache), block_table_(block_table) {}

  const std::uint8_t* entry(std::int32_t slot, std::int64_t j) const {
    const std::int64_t entries = cache_.shape[1];
    const std::int32_t block = block_table_.row<std::int32_t>(slot)[j / entries];
    return cache_.row<std::uint8_t>(block) + (j % entries) * cache_.shape[2];
  }

 private:
  const TensorRef& cache_;
  const TensorRef& block_table_;
};

}  // namespace deepinfer::reference
