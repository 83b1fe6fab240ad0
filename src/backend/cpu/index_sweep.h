#pragma once

// The entries that compete for one row's top-k, scored tile by tile. Non-owning; lives for one op
// on one thread. Workspace does not grow with the context.

#include <cstdint>

#include "backend/cpu/index_tile.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/top_list.h"

namespace deepinfer::cpu {

/// Scratch of one thread: a tile of entries.
struct IndexScratch {
  float* keys;                   ///< [width, kIndexTile]
  float* scores;                 ///< [kIndexTile]
  std::int32_t* entries;         ///< [kIndexTile]
  const std::uint8_t** records;  ///< [kIndexTile]

  static std::size_t bytes(std::int64_t width);
  IndexScratch(std::byte* start, std::int64_t width);
};

class IndexSweep {
 public:
  IndexSweep(const RowFunctions& isa, const IndexTopK& op, const Operands& io, std::int64_t row,
             const IndexScratch& scratch);

  /// Units of work of the row: runs of entries that never share a candidate block.
  std::int64_t units() const { return units_; }

  /// Scores the entries of `units` into `best` and, if not null, their blocks into `blocks`.
  void run(Range units, TopList& best, TopList* blocks);
  /// The block that holds the newest visible entry; -1 if there is none.
  std::int32_t newest_block() const { return newest_block_; }

 private:
  Range entries_of(std::int64_t unit) const;
  bool all_win() const;
  void take(std::int32_t entry, TopList& best, TopList* blocks);
  void flush(TopList& best, TopList* blocks);
  void score_tile();
  void finish_block(TopList* blocks);

  const RowFunctions& isa_;
  const IndexTopK& op_;
  const IndexScratch& scratch_;
  IndexQuery query_{};
  const TensorRef& cache_;
  const std::int32_t* block_table_ = nullptr;
  const std::int32_t* candidates_ = nullptr;  ///< nullptr: every visible entry competes
  std::int64_t visible_ = 0;
  std::int64_t unit_entries_ = kIndexTile;
  std::int64_t units_ = 0;
  std::int32_t newest_block_ = -1;
  bool all_win_ = false;

  int tile_ = 0;  ///< entries in the tile so far
  std::int32_t block_ = -1;
  float block_score_ = 0;
};

}  // namespace deepinfer::cpu
