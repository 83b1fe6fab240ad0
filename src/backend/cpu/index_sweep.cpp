#include "backend/cpu/index_sweep.h"

#include <algorithm>
#include <limits>

namespace deepinfer::cpu {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

}  // namespace

std::size_t IndexScratch::bytes(std::int64_t width) {
  using Carver = host::WorkspaceCarver;
  return Carver::bytes_for<float>(static_cast<std::size_t>(width * kIndexTile)) +
         Carver::bytes_for<float>(kIndexTile) + Carver::bytes_for<std::int32_t>(kIndexTile) +
         Carver::bytes_for<const std::uint8_t*>(kIndexTile);
}

IndexScratch::IndexScratch(std::byte* start, std::int64_t width) {
  host::WorkspaceCarver carver(start);
  keys = carver.take<float>(static_cast<std::size_t>(width * kIndexTile));
  scores = carver.take<float>(kIndexTile);
  entries = carver.take<std::int32_t>(kIndexTile);
  records = carver.take<const std::uint8_t*>(kIndexTile);
}

IndexSweep::IndexSweep(const RowFunctions& isa, const IndexTopK& op, const Operands& io,
                       std::int64_t row, const IndexScratch& scratch)
    : isa_(isa),
      op_(op),
      scratch_(scratch),
      cache_(io.in(2)),
      visible_(io.in(5).as<std::int32_t>()[row]) {
  if (visible_ <= 0) return;
  const std::int32_t slot = io.in(4).as<std::int32_t>()[row];
  block_table_ = io.in(3).row<std::int32_t>(slot);
  query_ = {.q = io.in(0).row<float>(row),
            .weights = io.in(1).row<float>(row),
            .heads = op.heads,
            .width = io.in(0).shape[1] / op.heads,
            .round_to_bf16 = op.bf16_scores};
  if (op.block_size > 0) unit_entries_ = op.block_size;
  if (visible_ > 0 && op.block_size > 0)
    newest_block_ = static_cast<std::int32_t>((visible_ - 1) / op.block_size);

  units_ = (visible_ + unit_entries_ - 1) / unit_entries_;
  if (io.has(6)) {
    candidates_ = io.in(6).row<std::int32_t>(row);
    const std::int64_t blocks = units_;
    units_ = 0;
    while (units_ < io.in(6).shape[1] && candidates_[units_] >= 0 && candidates_[units_] < blocks)
      ++units_;
  }
  all_win_ = all_win();
}

Range IndexSweep::entries_of(std::int64_t unit) const {
  const std::int64_t run = candidates_ == nullptr ? unit : candidates_[unit];
  return {run * unit_entries_, std::min((run + 1) * unit_entries_, visible_)};
}

/// Whether there is nothing to choose: scores would not matter.
bool IndexSweep::all_win() const {
  if (op_.publish_blocks > 0 && units_ > op_.publish_blocks) return false;
  if (units_ * unit_entries_ <= op_.topk) return true;
  if (candidates_ == nullptr) return visible_ <= op_.topk;
  std::int64_t competing = 0;
  for (std::int64_t unit = 0; unit < units_; ++unit) {
    const Range entries = entries_of(unit);
    competing += entries.end - entries.begin;
  }
  return competing <= op_.topk;
}

void IndexSweep::run(Range units, TopList& best, TopList* blocks) {
  for (std::int64_t unit = units.begin; unit < units.end; ++unit) {
    const Range entries = entries_of(unit);
    for (std::int64_t entry = entries.begin; entry < entries.end; ++entry)
      take(static_cast<std::int32_t>(entry), best, blocks);
  }
  flush(best, blocks);
  finish_block(blocks);
}

void IndexSweep::take(std::int32_t entry, TopList& best, TopList* blocks) {
  scratch_.entries[tile_++] = entry;
  if (tile_ == kIndexTile) flush(best, blocks);
}

void IndexSweep::score_tile() {
  if (all_win_) {
    std::fill_n(scratch_.scores, tile_, 0.0F);
    return;
  }
  constexpr int kVector = 16;  // entries a score function takes at a time
  const auto page = static_cast<std::int32_t>(cache_.shape[1]);
  for (int i = 0; i < tile_; ++i) {
    const std::int32_t entry = scratch_.entries[i];
    scratch_.records[i] =
        cache_.row<std::uint8_t>(block_table_[entry / page]) + entry % page * cache_.shape[2];
  }
  const int vectors = (tile_ + kVector - 1) / kVector;
  std::fill(scratch_.records + tile_, scratch_.records + vectors * kVector,
            scratch_.records[tile_ - 1]);
  isa_.score_keys(query_, scratch_.records, vectors, scratch_.keys, scratch_.scores);
}

void IndexSweep::flush(TopList& best, TopList* blocks) {
  if (tile_ == 0) return;
  score_tile();
  for (int i = 0; i < tile_; ++i) best.push(scratch_.scores[i], scratch_.entries[i]);
  if (blocks != nullptr)
    for (int i = 0; i < tile_; ++i) {
      const std::int32_t block = scratch_.entries[i] / op_.block_size;
      if (block != block_) {
        finish_block(blocks);
        block_ = block;
        block_score_ = kNothing;
      }
      block_score_ = std::max(block_score_, scratch_.scores[i]);
    }
  tile_ = 0;
}

void IndexSweep::finish_block(TopList* blocks) {
  // The newest block is pinned: it is pushed apart, above all others.
  if (blocks != nullptr && block_ >= 0 && block_ != newest_block_)
    blocks->push(block_score_, block_);
  block_ = -1;
}

}  // namespace deepinfer::cpu
