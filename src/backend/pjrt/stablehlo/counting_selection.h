#pragma once

// The best entries of a row without a sort, for devices whose compilers have none: the score of the
// k-th entry is found bit by bit by counting who reaches it, and the chosen are moved together by
// their running number. Comparisons, sums and products with ones alone; all shapes static.

#include "backend/pjrt/stablehlo/module_writer.h"

namespace deepinfer::pjrt {

/// As top_k_ascending() (selection.h), for scores without NaN and at most 2^24 entries.
Val top_k_by_counting(ModuleWriter& w, const Val& scores, std::int64_t k);

}  // namespace deepinfer::pjrt
