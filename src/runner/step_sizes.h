#pragma once

#include <vector>

namespace deepinfer {

/// The sizes that are captured: 1, 2, 4, … below the largest batch, the largest batch, the prefill
/// bucket; ascending, each once.
std::vector<int> step_sizes(int max_batch, int prefill_bucket);

}  // namespace deepinfer
