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

}  // namespace deepinfer
