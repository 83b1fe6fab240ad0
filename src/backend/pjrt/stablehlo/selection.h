#pragma once

// The best entries of a row, for index_top_k. Model specification 2.9.8 and 2.9.9.

#include "backend/pjrt/stablehlo/module_writer.h"

namespace deepinfer::pjrt {

/// i32 [n, k]: the k best of scores f32 [n, e] in ascending order, -1 behind them. Higher score
/// first, then lower index; scores of -infinity never count.
Val top_k_ascending(ModuleWriter& w, const Val& scores, std::int64_t k);

/// Scores of blocks: f32 [n, ceil(e / block)], each that of its best entry; the block of the newest
/// of `visible` (i32 [n]) entries is above all others. Entries that are not visible are -infinity.
Val block_scores(ModuleWriter& w, const Val& scores, const Val& visible, std::int64_t block);

/// i1 [n, e]: whether entry e lies in one of the blocks `candidates` (i32 [n, c], -1: none).
Val in_candidates(ModuleWriter& w, const Val& candidates, std::int64_t entries, std::int64_t block);

}  // namespace deepinfer::pjrt
