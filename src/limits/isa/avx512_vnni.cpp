// See the flags of this file in src/limits/CMakeLists.txt.

#include <immintrin.h>

#include "limits/isa/peak_body.h"
#include "limits/limit_kernels.h"

namespace deepinfer::limits {
namespace {

void int8(std::int64_t passes) {
  const __m512i factor = _mm512_set1_epi8(3);
  repeat(passes, _mm512_setzero_si512(),
         [factor](__m512i sum) { return _mm512_dpbusd_epi32(sum, factor, factor); });
}

}  // namespace

constinit const PeakKernel kAvx512Vnni = {
    .type = "int8", .instruction = "vpdpbusd", .macs_per_pass = kSums * 64, .run = &int8};

}  // namespace deepinfer::limits
