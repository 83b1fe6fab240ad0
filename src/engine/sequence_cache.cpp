#include "engine/sequence_cache.h"

#include <utility>

namespace deepinfer {
namespace {

std::int64_t blocks_for(const KvCaches& caches, std::int64_t tokens) {
  const int block_tokens = caches.layout().geometry().block_tokens;
  return (tokens + block_tokens - 1) / block_tokens;
}

}  // namespace

bool SequenceCache::fits(KvCaches& caches, std::int64_t tokens) {
  return caches.slots().available() > 0 &&
         caches.blocks().available() >= blocks_for(caches, tokens);
}

SequenceCache::SequenceCache(KvCaches& caches, std::int64_t tokens)
    : caches_(&caches), slot_(caches.slots().take()) {
  const std::int64_t count = blocks_for(caches, tokens);
  blocks_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) blocks_.push_back(caches.blocks().take());
}

SequenceCache::SequenceCache(SequenceCache&& other) noexcept
    : caches_(std::exchange(other.caches_, nullptr)),
      slot_(other.slot_),
      blocks_(std::move(other.blocks_)) {}

SequenceCache::~SequenceCache() {
  if (caches_ == nullptr) return;
  for (const std::int32_t block : blocks_) caches_->blocks().give(block);
  caches_->slots().give(slot_);
}

}  // namespace deepinfer
