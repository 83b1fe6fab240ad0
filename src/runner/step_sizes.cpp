#include "runner/step_sizes.h"

#include <algorithm>

namespace deepinfer {

std::vector<int> step_sizes(int max_batch, int prefill_bucket) {
  std::vector<int> sizes;
  for (int size = 1; size < max_batch; size *= 2) sizes.push_back(size);
  sizes.push_back(max_batch);
  sizes.push_back(prefill_bucket);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<std::int64_t> step_contexts(const Options& options, std::int64_t max_context) {
  // A device's graph scores as many entries as its longest sequence may have, whatever is there. A
  // bucket of 4096 positions costs little beside a layer's products; at each further bucket at most
  // three in four scores are wasted.
  constexpr std::int64_t kDeviceBucket = 4096;
  constexpr std::int64_t kGrowth = 4;
  const bool device = options.backend == BackendKind::pjrt;
  const std::int64_t smallest = options.context_bucket.value_or(device ? kDeviceBucket : 0);
  std::vector<std::int64_t> contexts;
  if (smallest > 0)
    for (std::int64_t context = smallest; context < max_context; context *= kGrowth)
      contexts.push_back(context);
  contexts.push_back(max_context);
  return contexts;
}

}  // namespace deepinfer
