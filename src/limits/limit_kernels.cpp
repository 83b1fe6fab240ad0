#include "limits/limit_kernels.h"

#include <string>

#include "deepinfer/error.h"

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
  if (avx512 && (isa == "auto" || isa == "avx512")) {
    ChosenKernels kernels = chosen("avx512", kAvx512);
    if (__builtin_cpu_supports("avx512bf16")) replace(kernels.peaks, kAvx512Bf16);
    if (__builtin_cpu_supports("avx512vnni")) replace(kernels.peaks, kAvx512Vnni);
    return kernels;
  }
  if (avx2 && (isa == "auto" || isa == "avx2")) return chosen("avx2", kAvx2);
#endif
  if (isa == "auto" || isa == "scalar") return chosen("scalar", kScalar);
  throw Error::bad_input("--isa", "no limits can be measured with it",
                         {.expected = names, .got = std::string(isa), .hint = {}});
}

}  // namespace deepinfer::limits
