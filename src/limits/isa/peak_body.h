#pragma once

// The multiply-add loop over any register type. Included by the files of isa/.

#include <cstdint>

namespace deepinfer::limits {
namespace {

/// Sums that do not wait for each other: latency times units of every core this is meant for, and
/// no more than sixteen registers can hold beside the factors.
enum : std::int64_t { kSums = 12 };

/// `passes` times kSums independent steps sum = step(sum). The empty assembly makes the sums look
/// used and changed, so that no pass can be left out or taken together with another; they have
/// names, since an array of them would live in memory.
template <typename Register, typename Step>
void repeat(std::int64_t passes, Register start, Step step) {
  Register a = start, b = start, c = start, d = start, e = start, f = start;
  Register g = start, h = start, i = start, j = start, k = start, l = start;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    a = step(a), b = step(b), c = step(c), d = step(d), e = step(e), f = step(f);
    g = step(g), h = step(h), i = step(i), j = step(j), k = step(k), l = step(l);
#if defined(__x86_64__)
    asm volatile(""
                 : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h), "+v"(i),
                   "+v"(j), "+v"(k), "+v"(l));
#else
    asm volatile(""
                 : "+w"(a), "+w"(b), "+w"(c), "+w"(d), "+w"(e), "+w"(f), "+w"(g), "+w"(h), "+w"(i),
                   "+w"(j), "+w"(k), "+w"(l));
#endif
  }
}

}  // namespace
}  // namespace deepinfer::limits
