#include "text/merge_table.h"

#include <bit>

namespace deepinfer {

MergeTable::MergeTable(const std::vector<MergeRule>& rules) {
  const std::size_t capacity = std::bit_ceil(2 * rules.size() + 2);
  slots_.assign(capacity, Slot{kEmpty, {kNoRank, 0}});
  mask_ = capacity - 1;
  shift_ = 64 - std::countr_zero(capacity);
  std::uint32_t rank = 0;
  for (const MergeRule& rule : rules) {
    const std::uint64_t key = key_of(rule.left, rule.right);
    std::size_t slot = slot_of(key);
    while (slots_[slot].key != kEmpty && slots_[slot].key != key) slot = (slot + 1) & mask_;
    slots_[slot] = {key, {rank++, rule.result}};
  }
}

}  // namespace deepinfer
