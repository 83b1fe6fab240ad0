#include "limits/isa/peak_body.h"
#include "limits/isa/read_body.h"

namespace deepinfer::limits {
namespace {

using Four [[gnu::vector_size(16)]] = float;

void fp32(std::int64_t passes) {
  const Four factor = {0.5F, 0.5F, 0.5F, 0.5F};
  repeat(passes, factor, [factor](Four sum) { return sum * factor + factor; });
}

constexpr auto kReads = read_kernels();
constexpr PeakKernel kPeaks[] = {
    {.type = "fp32", .instruction = "mulps, addps", .macs_per_pass = kSums * 4, .run = &fp32}};

}  // namespace

constinit const LimitKernels kScalar = {.reads = kReads, .peaks = kPeaks};

}  // namespace deepinfer::limits
