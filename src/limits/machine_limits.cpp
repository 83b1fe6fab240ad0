#include "limits/machine_limits.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "deepinfer/error.h"

namespace deepinfer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Pages of a buffer, given back at the end; huge where the system has them.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED)
      throw Error::failed("limits", "no memory for the buffer that reading is measured over",
                          {.expected = std::to_string(bytes) + " bytes", .got = {}, .hint = {}});
    madvise(data_, bytes, MADV_HUGEPAGE);
  }
  ~Buffer() { munmap(data_, bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Keeps a result from being optimised away.
void keep(std::uint64_t value) { asm volatile("" : : "r"(value)); }

}  // namespace

ReadBandwidth measure_read_bandwidth(ThreadPool& pool, const std::vector<limits::ReadKernel>& loops,
                                     std::size_t buffer_bytes) {
  // A member reads for about a millisecond per window: long against a start, short against a
  // scheduler's turn. Two times through the buffer, so that nothing it wrote last is still cached.
  constexpr std::size_t kWindow = std::size_t{16} << 20;
  constexpr std::size_t kPasses = 2;
  constexpr double kGiga = 1e9;
  const auto members = static_cast<std::size_t>(pool.size());
  const std::size_t windows = std::max<std::size_t>(buffer_bytes / (kWindow * members), 1);
  const Buffer buffer(windows * members * kWindow);
  pool.run([&](int member) {
    for (std::size_t window = 0; window < windows; ++window)
      std::memset(buffer.data() + (window * members + static_cast<std::size_t>(member)) * kWindow,
                  1, kWindow);
  });
  ReadBandwidth result;
  result.buffer_bytes = windows * members * kWindow;
  for (const limits::ReadKernel& loop : loops) {
    std::vector<double> rates;
    rates.reserve(kPasses * windows);
    for (std::size_t window = 0; window < kPasses * windows; ++window) {
      const std::byte* from = buffer.data() + window % windows * members * kWindow;
      const Clock::time_point start = Clock::now();
      pool.run([&](int member) {
        keep(loop.run(from + static_cast<std::size_t>(member) * kWindow, kWindow));
      });
      rates.push_back(static_cast<double>(members * kWindow) / seconds_since(start) / kGiga);
    }
    result.windows += static_cast<int>(rates.size());
    const double best = *std::max_element(rates.begin(), rates.end());
    if (best <= result.gb_per_s) continue;
    result.gb_per_s = best;
    result.median_gb_per_s = median(rates);
    result.streams = loop.streams;
  }
  return result;
}

PeakRate measure_peak(ThreadPool& pool, const limits::PeakKernel& kernel) {
  constexpr int kWindows = 20;
  constexpr std::int64_t kPasses = 300'000;  // of twelve instructions: one or two milliseconds
  constexpr double kGiga = 1e9;
  double best = 0;
  for (int window = 0; window < kWindows; ++window) {
    const Clock::time_point start = Clock::now();
    pool.run([&](int /*member*/) { kernel.run(kPasses); });
    const auto done = static_cast<double>(kPasses * kernel.macs_per_pass * pool.size());
    best = std::max(best, done / seconds_since(start) / kGiga);
  }
  return {.type = std::string(kernel.type),
          .instruction = std::string(kernel.instruction),
          .gmac_per_s = best};
}

MachineLimits measure_limits(ThreadPool& pool, std::string_view isa, std::size_t buffer_bytes) {
  const limits::ChosenKernels kernels = limits::choose_kernels(isa);
  MachineLimits result{
      .isa = std::string(kernels.isa), .threads = pool.size(), .read = {}, .peaks = {}};
  for (const limits::PeakKernel& peak : kernels.peaks)
    result.peaks.push_back(measure_peak(pool, peak));
  result.read = measure_read_bandwidth(pool, kernels.reads, buffer_bytes);
  return result;
}

}  // namespace deepinfer
