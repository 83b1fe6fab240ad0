#include "engine/scheduler.h"

#include <algorithm>

namespace deepinfer {

std::vector<ScheduledRows> schedule(std::span<const SchedulerEntry> entries, int prefill_bucket,
                                    int max_rows) {
  std::vector<ScheduledRows> step;
  int used = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].decoding) continue;
    step.push_back({.entry = i, .rows = 1});
    ++used;
  }
  // Decode rows ride in the bucket, so that a mixed step is no larger than a pure prompt step; but
  // a prompt always advances, even where decoding alone fills the bucket.
  const int room = std::min(prefill_bucket, std::max(prefill_bucket - used, 1));
  int prompt_rows = std::min(room, max_rows - used);
  for (std::size_t i = 0; i < entries.size() && prompt_rows > 0; ++i) {
    if (entries[i].decoding) continue;
    const auto left = entries[i].length - entries[i].cached;
    const int rows = static_cast<int>(std::min<std::int64_t>(left, prompt_rows));
    step.push_back({.entry = i, .rows = rows});
    prompt_rows -= rows;
  }
  return step;
}

}  // namespace deepinfer
