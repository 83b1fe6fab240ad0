#include "limits/limit_keeper.h"

#include <algorithm>
#include <utility>

#include "core/process_memory.h"

namespace deepinfer {

LimitKeeper::LimitKeeper(int threads, std::string isa, std::size_t buffer_bytes)
    : threads_(threads > 0 ? threads : ThreadPool::default_threads()),
      isa_(std::move(isa)),
      buffer_bytes_(buffer_bytes) {}

void LimitKeeper::measure() {
  if (measured_) peak_resident_ = std::max(peak_resident_, peak_resident());
  ThreadPool pool(threads_);
  MachineLimits again = measure_limits(pool, isa_, buffer_bytes_);
  limits_ = measured_ ? best_of(std::move(limits_), again) : std::move(again);
  measured_ = true;
  forget_peak_resident();
}

MachineLimits best_of(MachineLimits limits, const MachineLimits& again) {
  if (again.read.gb_per_s > limits.read.gb_per_s) limits.read = again.read;
  for (std::size_t i = 0; i < limits.peaks.size(); ++i)
    limits.peaks[i].gmac_per_s = std::max(limits.peaks[i].gmac_per_s, again.peaks[i].gmac_per_s);
  return limits;
}

}  // namespace deepinfer
