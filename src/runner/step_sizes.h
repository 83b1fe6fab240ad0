#pragma once

#include <cstdint>
#include <vector>

#include "deepinfer/options.h"

namespace deepinfer {

/// The sizes that are captured: 1, 2, 4, … below the largest batch, the largest batch, the prefill
/// bucket; ascending, each once.
std::vector<int> step_sizes(int max_batch, int prefill_bucket);

/// The lengths of sequences that every size is captured for: options.context_bucket, four times
/// that, sixteen times … below `max_context`, and `max_context`; ascending.
std::vector<std::int64_t> step_contexts(const Options& options, std::int64_t max_context);

}  // namespace deepinfer
