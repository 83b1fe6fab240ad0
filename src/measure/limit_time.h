#pragma once

// How long a piece of work takes at the machine's measured limits. Pure functions.

#include <algorithm>
#include <string_view>

#include "limits/machine_limits.h"
#include "measure/step_work.h"

namespace deepinfer {

struct LimitTime {
  double read_ms = 0;      ///< the bytes at the read bandwidth
  double multiply_ms = 0;  ///< the multiply-adds at the peak
  double ms() const { return std::max(read_ms, multiply_ms); }
};

/// The peak that products with weights are compared with: that of what the kernels multiply in,
/// bf16 tiles where the processor has them, else fp32. REQUIRES: limits have fp32.
inline const PeakRate& product_peak(const MachineLimits& limits) {
  const auto of_type = [&limits](std::string_view type) {
    return std::find_if(limits.peaks.begin(), limits.peaks.end(),
                        [type](const PeakRate& peak) { return peak.type == type; });
  };
  const auto tiles = of_type("bf16 tiles");
  return tiles != limits.peaks.end() ? *tiles : *of_type("fp32");
}

inline LimitTime limit_time(const Work& work, const MachineLimits& limits) {
  constexpr double kPerMillisecond = 1e6;  // of 10^9 per second
  return {.read_ms = work.bytes / limits.read.gb_per_s / kPerMillisecond,
          .multiply_ms = work.macs / product_peak(limits).gmac_per_s / kPerMillisecond};
}

}  // namespace deepinfer
