#include "tests/support/poison.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "model/step_inputs.h"

namespace deepinfer {
namespace {

constexpr int kNan = 0xff;  // NaN in E4M3, E8M0 (scales), fp16, bf16 and fp32
/// As i32 far above every row, slot, block and token; as an n-gram row NaN codes and large scales.
constexpr auto kFarIndex = std::byte{0x7f};

void poison_row(KvCaches& caches, bool of_kv, std::int64_t row) {
  for (const CacheColumn& column : caches.layout().columns())
    if ((column.recipe.root == CacheRoot::kv) == of_kv)
      std::memset(caches.row(column, row), kNan,
                  static_cast<std::size_t>(column.recipe.column_bytes()));
}

}  // namespace

void poison_caches(KvCaches& caches) {
  for (const CacheRoot root : caches.layout().roots())
    std::memset(caches.root(root), kNan,
                static_cast<std::size_t>(caches.layout().root_bytes(root)));
}

void poison_rows(KvCaches& caches, const SequenceCache& sequence) {
  for (const std::int32_t block : sequence.blocks()) poison_row(caches, true, block);
  poison_row(caches, false, sequence.slot());
}

void poison_scratch(KvCaches& caches) {
  const CacheGeometry& geometry = caches.layout().geometry();
  poison_row(caches, true, geometry.scratch_block());
  poison_row(caches, false, geometry.scratch_slot());
}

void poison_metadata(const Runtime& runtime, InputMetadata& input) {
  std::vector<std::string> names = {
      std::string(step_inputs::kTokenIds),    std::string(step_inputs::kPositions),
      std::string(step_inputs::kSlots),       std::string(step_inputs::kPrevRows),
      std::string(step_inputs::kWantsLogits), std::string(step_inputs::kBlockTable)};
  for (const int layer : runtime.model().config().engram.layer_ids)
    names.push_back(step_inputs::engram_rows(layer));
  for (const std::string& name : names) {
    if (!input.has(name)) continue;
    const std::span<std::byte> bytes = input.raw(name);
    std::fill(bytes.begin(), bytes.end(), kFarIndex);
  }
}

}  // namespace deepinfer
