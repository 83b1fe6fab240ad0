#pragma once

// The best `limit` of a stream of scored indices, under the strict order of every top-k: higher
// score first, then lower index (model specification 2.9.9). Because the order is strict, the
// result does not depend on the order of arrival or on how the stream was split.
//
// Non-owning: works in memory the caller gives it, of capacity(limit) keys. No allocation.

#include <cstdint>

namespace deepinfer::cpu {

class TopList {
 public:
  /// Keys the list needs room for: the best so far and as many again before it sorts them out.
  static std::int64_t capacity(std::int64_t limit) { return limit + (limit < 64 ? 64 : limit); }

  TopList(std::uint64_t* keys, std::int64_t limit) : keys_(keys), limit_(limit) {}

  /// Takes an entry in. -inf and NaN never make the list.
  void push(float score, std::int32_t index);
  /// Takes in a key that another list kept.
  void push_key(std::uint64_t key) {
    if (key <= floor_) return;
    keys_[count_++] = key;
    if (count_ == capacity(limit_)) cut();
  }

  /// Reduces the list to its best `limit` keys, in no order, and says how many there are.
  std::int64_t cut();

  static std::int32_t index_of(std::uint64_t key) {
    return static_cast<std::int32_t>(~static_cast<std::uint32_t>(key));
  }

 private:
  std::uint64_t* keys_;
  std::int64_t limit_;
  std::int64_t count_ = 0;
  std::uint64_t floor_ = 0;  ///< keys up to this one cannot be among the best
};

/// Writes the indices of `count` keys to `out` in ascending order, and -1 up to `length`.
void write_ascending(const std::uint64_t* keys, std::int64_t count, std::int32_t* out,
                     std::int64_t length);

}  // namespace deepinfer::cpu
