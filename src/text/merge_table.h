#pragma once

// The merges of a BPE model: (left id, right id) to rank and resulting id. An open-addressing
// table, since its look-up is what encoding spends its time on. Immutable once built: any thread.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deepinfer {

/// One line of `model.merges`, as ids.
struct MergeRule {
  std::int32_t left;
  std::int32_t right;
  std::int32_t result;
};

struct Merge {
  std::uint32_t rank;
  std::int32_t result;
};

inline constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

class MergeTable {
 public:
  /// Rules in rank order. Of two rules for the same pair the later one counts, as in the reference
  /// library. Ids are not negative.
  explicit MergeTable(const std::vector<MergeRule>& rules);

  /// The merge of a pair; rank kNoRank if there is none.
  Merge find(std::int32_t left, std::int32_t right) const {
    const std::uint64_t key = key_of(left, right);
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask_) {
      if (slots_[slot].key == key) return slots_[slot].merge;
      if (slots_[slot].key == kEmpty) return {kNoRank, 0};
    }
  }

 private:
  struct Slot {
    std::uint64_t key;
    Merge merge;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no pair of non-negative ids

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }
  // Fibonacci hashing: the high bits of the product depend on all bits of the key.
  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>(((key ^ (key >> 29)) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::size_t mask_ = 0;
  int shift_ = 63;
};

}  // namespace deepinfer
