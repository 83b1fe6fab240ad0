#pragma once

// Remainders of one divisor without a division: a step takes one per row and hash column, and a
// 64-bit division costs as much as all the rest of the hash. Immutable; any thread.

#include <cstdint>
#include <limits>

namespace deepinfer {

class FixedDivisor {
 public:
  /// REQUIRES: divisor > 0.
  explicit FixedDivisor(std::uint64_t divisor)
      : divisor_(divisor), reciprocal_(std::numeric_limits<std::uint64_t>::max() / divisor) {}

  /// value % divisor, for every value.
  std::uint64_t remainder(std::uint64_t value) const {
    // With r = (2^64 - 1 - e) / d, e < d: value / d - value * r / 2^64 = value * (1 + e) / (d *
    // 2^64), which is less than 1. So the quotient is right or one too small.
    const auto quotient = static_cast<std::uint64_t>((Wide{value} * reciprocal_) >> 64U);
    const std::uint64_t rest = value - quotient * divisor_;
    return rest < divisor_ ? rest : rest - divisor_;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t divisor_;
  std::uint64_t reciprocal_;
};

}  // namespace deepinfer
