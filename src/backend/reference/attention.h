#pragma once

// Attention of one head over a given list of entries, apart so that tests can feed it any list.
// Model specification 2.9.10.

#include <cstdint>

namespace deepinfer::reference {

/// The entries one row sees, by list index: dequantised values, one row of `width` each.
struct EntryList {
  float* values;
  bool* present;  ///< absent entries are skipped but keep their place
  std::int64_t count;
  std::int64_t width;
};

/// Softmax with all scores at hand. A list with nothing present gives 0. `scores` is scratch
/// [count], `output` [width].
void attend_exact(const EntryList& list, const float* query, float softmax_scale, double sink,
                  double* scores, double* output);

/// The official kernel's way: blocks of 64 list entries, bf16 probabilities relative to the running
/// maximum, unrounded ones in the denominator, the sink last.
void attend_online(const EntryList& list, const float* query, float softmax_scale, double sink,
                   double* scores, double* output);

}  // namespace deepinfer::reference
