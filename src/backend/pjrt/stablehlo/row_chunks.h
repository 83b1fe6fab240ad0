#pragma once

// Ops whose temporaries grow with the rows run over a few rows at a time.

#include <functional>
#include <span>
#include <vector>

#include "backend/pjrt/stablehlo/module_writer.h"

namespace deepinfer::pjrt {

/// Calls `body` with the same rows (axis 0) of all `inputs` and joins what it returns: all rows at
/// once if `bytes_per_row` times their number is at most `bytes`, else in a loop over chunks.
/// `body` is written for any number of rows; its results have the rows in front.
std::vector<Val> by_row_chunks(
    ModuleWriter& w, std::span<const Val> inputs, std::int64_t bytes_per_row, std::int64_t bytes,
    const std::function<std::vector<Val>(std::span<const Val> inputs)>& body,
    std::span<const Val> results_like);

}  // namespace deepinfer::pjrt
