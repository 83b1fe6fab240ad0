#include "backend/cpu/top_list.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

namespace deepinfer::cpu {
namespace {

/// Larger for a better entry: the score's bits made to sort like the number, then the index turned
/// round. Never 0.
std::uint64_t key_of(float score, std::int32_t index) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);  // -0 ties with +0
  const std::uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  return static_cast<std::uint64_t>(ordered) << 32 | ~static_cast<std::uint32_t>(index);
}

}  // namespace

void TopList::push(float score, std::int32_t index) {
  if (score > -std::numeric_limits<float>::infinity()) push_key(key_of(score, index));
}

std::int64_t TopList::cut() {
  if (count_ > limit_) {
    std::nth_element(keys_, keys_ + limit_ - 1, keys_ + count_, std::greater<>());
    count_ = limit_;
    floor_ = keys_[limit_ - 1];
  }
  return count_;
}

void write_ascending(const std::uint64_t* keys, std::int64_t count, std::int32_t* out,
                     std::int64_t length) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = TopList::index_of(keys[i]);
  std::sort(out, out + count);
  std::fill(out + count, out + length, -1);
}

}  // namespace deepinfer::cpu
