#pragma once

// The limits of this machine, measured: how fast its threads read memory, and how many
// multiply-adds they do per second. What a step is compared with. Keeps nothing; one caller at a
// time. Times are the best of many short windows: what else runs on the machine only ever lowers a
// window.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/thread_pool.h"
#include "limits/limit_kernels.h"

namespace deepinfer {

struct ReadBandwidth {
  double gb_per_s = 0;         ///< best window
  double median_gb_per_s = 0;  ///< of the windows that read the way the best one did
  int streams = 0;             ///< that way: runs read side by side by each thread
  int windows = 0;             ///< measured in all
  std::size_t buffer_bytes = 0;
};

struct PeakRate {
  std::string type;         ///< "fp32", "bf16", "int8"
  std::string instruction;  ///< that does it
  double gmac_per_s = 0;    ///< 10^9 multiply-adds per second, all threads
};

struct MachineLimits {
  std::string isa;
  int threads = 1;
  ReadBandwidth read;
  std::vector<PeakRate> peaks;
};

/// Larger than any cache; less if the machine has not that much to spare.
inline constexpr std::size_t kReadBuffer = std::size_t{1} << 30;

/// Reads through a buffer of `buffer_bytes` (rounded down to whole windows, at least one) that the
/// members of `pool` write first. Throws Error (failed) if there is no memory for it.
ReadBandwidth measure_read_bandwidth(ThreadPool& pool, const std::vector<limits::ReadKernel>& loops,
                                     std::size_t buffer_bytes);

PeakRate measure_peak(ThreadPool& pool, const limits::PeakKernel& kernel);

/// All of them. `isa` as in Options. Throws Error as choose_kernels() and the others do.
MachineLimits measure_limits(ThreadPool& pool, std::string_view isa, std::size_t buffer_bytes);

}  // namespace deepinfer
