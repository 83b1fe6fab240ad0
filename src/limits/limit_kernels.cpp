#include "limits/limit_kernels.h"

#include <string>

#include "deepinfer/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace deepinfer::limits {
namespace {

/// Puts `kernel` in the place of the one of its type, or behind the others.
void replace(std::vector<PeakKernel>& peaks, const PeakKernel& kernel) {
  for (PeakKernel& peak : peaks)
    if (peak.type == kernel.type) {
      peak = kernel;
      return;
    }
  peaks.push_back(kernel);
}

ChosenKernels chosen(std::string_view isa, const LimitKernels& kernels) {
  return {.isa = isa,
          .reads = {kernels.reads.begin(), kernels.reads.end()},
          .peaks = {kernels.peaks.begin(), kernels.peaks.end()}};
}

#if defined(__x86_64__)
/// Whether tiles of bf16 are there and this process may use them (which it asks for).
bool may_use_tiles() {
  constexpr unsigned kFeatures = (1U << 22U) | (1U << 24U);  // AMX-BF16, AMX-TILE
  constexpr long kRequestPermission = 0x1023;                // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & kFeatures) == kFeatures &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

}  // namespace

ChosenKernels choose_kernels(std::string_view isa) {
  std::string names = "auto, scalar";
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
  if (avx2) names += ", avx2";
  if (avx512) names += ", avx512";
  const bool amx = avx512 && may_use_tiles();
  if (amx) names += ", amx";
  const bool tiles = amx && (isa == "auto" || isa == "amx");
  if (tiles || (avx512 && (isa == "auto" || isa == "avx512"))) {
    ChosenKernels kernels = chosen(tiles ? "amx" : "avx512", kAvx512);
    if (__builtin_cpu_supports("avx512bf16")) replace(kernels.peaks, kAvx512Bf16);
    if (__builtin_cpu_supports("avx512vnni")) replace(kernels.peaks, kAvx512Vnni);
    if (tiles) kernels.peaks.push_back(kAmxBf16);
    return kernels;
  }
  if (avx2 && (isa == "auto" || isa == "avx2")) return chosen("avx2", kAvx2);
#endif
  if (isa == "auto" || isa == "scalar") return chosen("scalar", kScalar);
  throw Error::bad_input("--isa", "no limits can be measured with it",
                         {.expected = names, .got = std::string(isa), .hint = {}});
}

}  // namespace deepinfer::limits
