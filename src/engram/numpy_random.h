#pragma once

// The part of numpy's default_rng(seed).integers() that engram multipliers are made with, bit for
// bit: SeedSequence, PCG64 (XSL-RR 128/64) and Lemire's bounded draw. Model specification 3.3.

#include <array>
#include <cstdint>

namespace deepinfer {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next64();
  /// Low half of a fresh next64(); the high half is kept for the following call.
  std::uint32_t next32();
  /// Uniform in [0, bound). REQUIRES: bound >= 1.
  std::uint64_t below(std::uint64_t bound);

  /// The four pool words after seeding, for tests against the specification's trace.
  const std::array<std::uint32_t, 4>& pool() const { return pool_; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::array<std::uint32_t, 4> pool_{};
  Wide state_ = 0;
  Wide increment_ = 0;
  std::uint32_t buffered_ = 0;
  bool has_buffered_ = false;
};

}  // namespace deepinfer
