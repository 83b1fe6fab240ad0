#pragma once

// The cache rows one sequence owns: a state slot and the blocks of its positions. Given back when
// it is destroyed. Belongs to the engine's thread; the caches must outlive it.

#include <cstdint>
#include <span>
#include <vector>

#include "cache/kv_caches.h"

namespace deepinfer {

class SequenceCache {
 public:
  /// Whether rows for a sequence of `tokens` positions are free now.
  static bool fits(KvCaches& caches, std::int64_t tokens);
  /// Takes them. REQUIRES: fits(caches, tokens).
  SequenceCache(KvCaches& caches, std::int64_t tokens);
  ~SequenceCache();
  SequenceCache(SequenceCache&& other) noexcept;
  SequenceCache(const SequenceCache&) = delete;
  SequenceCache& operator=(const SequenceCache&) = delete;
  SequenceCache& operator=(SequenceCache&&) = delete;

  std::int32_t slot() const { return slot_; }
  std::span<const std::int32_t> blocks() const { return blocks_; }

 private:
  KvCaches* caches_;
  std::int32_t slot_ = -1;
  std::vector<std::int32_t> blocks_;
};

}  // namespace deepinfer
