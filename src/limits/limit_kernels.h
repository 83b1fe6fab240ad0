#pragma once

// What the limits are measured with: loops that only read, and loops that only multiply and add,
// one set per instruction set. Plain functions without state; any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace deepinfer::limits {

/// Reads `bytes` bytes from `from` as `streams` runs side by side (more than one keeps more of the
/// memory's channels and the core's line buffers busy), and returns something made of them.
/// REQUIRES: from on a cache line, bytes a multiple of 64 * streams.
using ReadLoop = std::uint64_t (*)(const std::byte* from, std::size_t bytes);

struct ReadKernel {
  int streams = 1;
  ReadLoop run = nullptr;
};

/// One loop of independent multiply-adds in registers.
struct PeakKernel {
  std::string_view type;           ///< of the factors: "fp32", "bf16", "int8"
  std::string_view instruction;    ///< what does it
  std::int64_t macs_per_pass = 0;  ///< multiply-adds of one pass of the loop
  void (*run)(std::int64_t passes) = nullptr;
};

struct LimitKernels {
  std::span<const ReadKernel> reads;
  std::span<const PeakKernel> peaks;
};

extern const LimitKernels kScalar;
extern const LimitKernels kAvx2;
extern const LimitKernels kAvx512;
extern const PeakKernel kAvx512Bf16;
extern const PeakKernel kAvx512Vnni;
extern const PeakKernel kAmxBf16;  ///< needs the process's permission to use tiles

/// What `isa` (auto, scalar, avx2, avx512, amx) may run on this processor. Throws Error (bad_input)
/// for another name, or one that this processor lacks.
struct ChosenKernels {
  std::string_view isa;
  std::vector<ReadKernel> reads;
  std::vector<PeakKernel> peaks;
};
ChosenKernels choose_kernels(std::string_view isa);

}  // namespace deepinfer::limits
