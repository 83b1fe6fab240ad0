#pragma once

// Which rows of which sequences the next step runs. Knows counts only: no tokens, no tensors.

#include <cstdint>
#include <span>
#include <vector>

namespace deepinfer {

/// What the scheduler sees of a running sequence.
struct SchedulerEntry {
  std::int64_t cached = 0;  ///< positions already in the caches
  std::int64_t length = 0;  ///< tokens known; length - cached of them are still to be run
  bool decoding = false;    ///< past its prompt: runs exactly its newest token
};

/// Rows of one sequence in a step.
struct ScheduledRows {
  std::size_t entry = 0;  ///< index into the entries
  int rows = 0;
};

/// Every decoding sequence gets its row; what room is left up to `max_rows` goes to prompts, oldest
/// first, at most `prefill_bucket` rows in all. Entries come in order of admission.
/// REQUIRES: at most max_rows entries are decoding.
std::vector<ScheduledRows> schedule(std::span<const SchedulerEntry> entries, int prefill_bucket,
                                    int max_rows);

}  // namespace deepinfer
