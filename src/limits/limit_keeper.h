#pragma once

// The limits over a whole run: the best of several measurements, since other work on the machine
// comes and goes. Their buffer counts for none of the run's memory. One thread.

#include <cstddef>
#include <cstdint>
#include <string>

#include "limits/machine_limits.h"

namespace deepinfer {

class LimitKeeper {
 public:
  /// See measure_limits(). `threads`: 0 = as many as a backend would take.
  LimitKeeper(int threads, std::string isa, std::size_t buffer_bytes);

  /// Measures once more, with threads of its own that are gone when it returns. Throws Error.
  void measure();

  const MachineLimits& limits() const { return limits_; }
  /// The most bytes that were resident between two measurements.
  std::int64_t peak_resident_between() const { return peak_resident_; }

 private:
  int threads_;
  std::string isa_;
  std::size_t buffer_bytes_;
  MachineLimits limits_;
  std::int64_t peak_resident_ = 0;
  bool measured_ = false;
};

/// Each limit as the better of the two saw it. REQUIRES: measured with the same loops.
MachineLimits best_of(MachineLimits limits, const MachineLimits& again);

}  // namespace deepinfer
