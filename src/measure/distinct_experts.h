#pragma once

// How many different experts the rows of a step choose, counted.

#include "deepinfer/options.h"
#include "model/model.h"

namespace deepinfer {

/// Mean over layers and over a few steps of `batch` sequences that start with random tokens. Runs
/// them on caches and graphs of its own, since a graph that tells its choices is another graph than
/// the one that is timed. 0 for a model without experts.
double distinct_experts(const Model& model, const Options& options, int batch, std::uint64_t seed);

}  // namespace deepinfer
