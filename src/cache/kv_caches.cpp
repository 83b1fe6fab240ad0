#include "cache/kv_caches.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/storage_id.h"
#include "deepinfer/error.h"

namespace deepinfer {

RowAllocator::RowAllocator(std::int64_t count) : free_(static_cast<std::size_t>(count)) {
  std::iota(free_.begin(), free_.end(), 0);  // ascending order is already a min-heap
}

std::int32_t RowAllocator::take() {
  std::pop_heap(free_.begin(), free_.end(), std::greater<>());
  const std::int32_t number = free_.back();
  free_.pop_back();
  return number;
}

void RowAllocator::give(std::int32_t number) {
  free_.push_back(number);
  std::push_heap(free_.begin(), free_.end(), std::greater<>());
}

KvCaches::Mapping KvCaches::map(std::int64_t bytes, std::string_view name) {
  // Anonymous pages read as zero and cost nothing until they are written.
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    throw Error::failed("caches",
                        fmt::format("cannot allocate the {} root of {} bytes", name, bytes),
                        {.expected = {}, .got = {}, .hint = "lower --kv-memory or --max-batch"});
  return {static_cast<std::byte*>(data), size};
}

KvCaches::KvCaches(CacheLayout layout)
    : layout_(std::move(layout)),
      storage_id_(next_storage_id()),
      blocks_(layout_.geometry().scratch_block()),
      slots_(layout_.geometry().scratch_slot()) {
  try {
    for (const CacheRoot root : layout_.roots())
      roots_[static_cast<std::size_t>(root)] = map(layout_.root_bytes(root), name_of(root));
  } catch (...) {
    release();
    throw;
  }
}

KvCaches::~KvCaches() { release(); }

void KvCaches::populate() const {
  constexpr std::size_t kPage = 4096;
  for (const Mapping& mapping : roots_) {
    if (mapping.data == nullptr) continue;
#ifdef MADV_POPULATE_WRITE
    if (madvise(mapping.data, mapping.bytes, MADV_POPULATE_WRITE) == 0) continue;
#endif
    // An older kernel: a write to every page, which leaves what it holds.
    for (std::size_t at = 0; at < mapping.bytes; at += kPage) {
      auto* byte = reinterpret_cast<volatile std::byte*>(mapping.data + at);
      *byte = *byte;
    }
  }
}

void KvCaches::release() {
  for (const Mapping& mapping : roots_)
    if (mapping.data != nullptr) munmap(mapping.data, mapping.bytes);
}

}  // namespace deepinfer
