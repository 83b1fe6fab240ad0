#pragma once

// The cache roots of an engine, and who owns which row of them.
//
// Memory is taken once, here, and reads as zero. Not thread-safe: one engine thread allocates and
// frees; kernels write the bytes during a replay.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cache/cache_layout.h"

namespace deepinfer {

/// Hands out numbers 0 … count-1, lowest free first (so that runs repeat exactly).
class RowAllocator {
 public:
  explicit RowAllocator(std::int64_t count);

  std::int64_t available() const { return static_cast<std::int64_t>(free_.size()); }
  /// Lowest free number. REQUIRES: available() > 0.
  std::int32_t take();
  /// Gives a number back. REQUIRES: it was taken.
  void give(std::int32_t number);

 private:
  std::vector<std::int32_t> free_;  // min-heap
};

class KvCaches {
 public:
  /// Throws Error (failed) if the memory cannot be had.
  explicit KvCaches(CacheLayout layout);
  ~KvCaches();
  KvCaches(const KvCaches&) = delete;
  KvCaches& operator=(const KvCaches&) = delete;

  const CacheLayout& layout() const { return layout_; }
  /// First byte of a root; nullptr if the layout has none of that kind.
  std::byte* root(CacheRoot root) const { return roots_[static_cast<std::size_t>(root)].data; }
  /// First byte of row `row` of a column.
  std::byte* row(const CacheColumn& column, std::int64_t row) const {
    return root(column.recipe.root) + column.recipe.offset + row * column.recipe.row_bytes;
  }

  /// Of these roots: never that of other caches, even at the same addresses.
  std::uint64_t storage_id() const { return storage_id_; }

  /// Makes the system give all memory of the roots now, not when a sequence first reaches it.
  void populate() const;

  RowAllocator& blocks() { return blocks_; }
  RowAllocator& slots() { return slots_; }

 private:
  struct Mapping {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  void release();
  static Mapping map(std::int64_t bytes, std::string_view name);

  CacheLayout layout_;
  std::uint64_t storage_id_;
  std::array<Mapping, kCacheRoots.size()> roots_{};
  RowAllocator blocks_;
  RowAllocator slots_;
};

}  // namespace deepinfer
