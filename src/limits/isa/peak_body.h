#pragma once

// The multiply-add loop over any register type. Included by the files of isa/.

#include <cstdint>

namespace deepinfer::limits {
namespace {

/// Sums that do not wait for each other: latency times units of every core this is meant for, and
/// no more than sixteen registers can hold beside the factors.
constexpr int kSums = 12;

/// `passes` times kSums independent steps sum = step(sum). The empty assembly makes each sum look
/// used and changed, so that no pass can be left out or taken together with another.
template <typename Register, typename Step>
void repeat(std::int64_t passes, Register start, Step step) {
  Register sums[kSums];
  for (Register& sum : sums) sum = start;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) {
      sums[i] = step(sums[i]);
#if defined(__x86_64__)
      asm volatile("" : "+v"(sums[i]));
#else
      asm volatile("" : "+w"(sums[i]));
#endif
    }
  }
}

}  // namespace
}  // namespace deepinfer::limits
