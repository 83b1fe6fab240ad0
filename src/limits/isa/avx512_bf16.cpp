// See the flags of this file in src/limits/CMakeLists.txt.

#include <immintrin.h>

#include "limits/isa/peak_body.h"
#include "limits/limit_kernels.h"

namespace deepinfer::limits {
namespace {

void bf16(std::int64_t passes) {
  const __m512bh factor = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5F), _mm512_set1_ps(0.5F));
  repeat(passes, _mm512_setzero_ps(),
         [factor](__m512 sum) { return _mm512_dpbf16_ps(sum, factor, factor); });
}

}  // namespace

constinit const PeakKernel kAvx512Bf16 = {
    .type = "bf16", .instruction = "vdpbf16ps", .macs_per_pass = kSums * 32, .run = &bf16};

}  // namespace deepinfer::limits
