#pragma once

// What a step costs besides its ops.

#include <cstdint>

#include "engine/runtime.h"

namespace deepinfer::bench {

/// Microseconds per step of decoding one row, or of a whole bucket: filling the metadata, copying
/// it, and replaying the graph with kernels that do nothing. Everything a step does that is not an
/// op's own work; the model's weights are not read.
double step_overhead_us(const Model& model, const Options& options, int rows);

struct OpShare {
  double step_ms = 0;     ///< of a replay, median
  double outside_ms = 0;  ///< of it outside ops, two clock readings per op included
};

/// The same on the real kernels, by the clock around every op, over `steps` replays.
OpShare op_share(Runtime& runtime, int rows, int steps);

}  // namespace deepinfer::bench
