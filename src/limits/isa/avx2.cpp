// See the flags of this file in src/limits/CMakeLists.txt.

#include <immintrin.h>

#include "limits/isa/peak_body.h"
#include "limits/isa/read_body.h"

namespace deepinfer::limits {
namespace {

void fp32(std::int64_t passes) {
  const __m256 factor = _mm256_set1_ps(0.5F);
  repeat(passes, factor, [factor](__m256 sum) { return _mm256_fmadd_ps(sum, factor, factor); });
}

/// Unsigned times signed bytes, pairs summed to 16 and then to 32 bits.
void int8(std::int64_t passes) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i factor = _mm256_set1_epi8(3);
  repeat(passes, _mm256_setzero_si256(), [&](__m256i sum) {
    asm volatile("" : "+v"(factor));  // else the products are made once
    const __m256i pairs = _mm256_maddubs_epi16(factor, factor);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  });
}

constexpr auto kReads = read_kernels();
constexpr PeakKernel kPeaks[] = {
    {.type = "fp32", .instruction = "vfmadd", .macs_per_pass = kSums * 8, .run = &fp32},
    {.type = "int8",
     .instruction = "vpmaddubsw, vpmaddwd, vpaddd",
     .macs_per_pass = kSums * 32,
     .run = &int8}};

}  // namespace

constinit const LimitKernels kAvx2 = {.reads = kReads, .peaks = kPeaks};

}  // namespace deepinfer::limits
