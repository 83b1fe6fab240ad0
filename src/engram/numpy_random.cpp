#include "engram/numpy_random.h"

#include <limits>
#include <vector>

namespace deepinfer {
namespace {

// Constants of numpy's SeedSequence and of PCG64, as printed in model specification 3.3.
constexpr std::uint32_t kInitA = 0x43b0d7e5;
constexpr std::uint32_t kMultiplyA = 0x931e8875;
constexpr std::uint32_t kInitB = 0x8b51f9dd;
constexpr std::uint32_t kMultiplyB = 0x58f38ded;
constexpr std::uint32_t kMixLeft = 0xca01f9dd;
constexpr std::uint32_t kMixRight = 0x4973f715;
constexpr std::uint64_t kPcgMultiplyHigh = 2549297995355413924ULL;
constexpr std::uint64_t kPcgMultiplyLow = 4865540595714422341ULL;

/// SeedSequence's running hash; its constant changes with every call.
class HashMix {
 public:
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= kMultiplyA;
    value *= constant_;
    return value ^ (value >> 16);
  }

 private:
  std::uint32_t constant_ = kInitA;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t z = kMixLeft * x - kMixRight * y;
  return z ^ (z >> 16);
}

std::array<std::uint32_t, 4> seed_pool(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> words = {static_cast<std::uint32_t>(seed),
                                              static_cast<std::uint32_t>(seed >> 32)};
  std::array<std::uint32_t, 4> pool{};
  HashMix hash;
  for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = hash(i < words.size() ? words[i] : 0);
  for (std::size_t source = 0; source < pool.size(); ++source)
    for (std::size_t target = 0; target < pool.size(); ++target)
      if (target != source) pool[target] = mix(pool[target], hash(pool[source]));
  return pool;
}

std::array<std::uint64_t, 4> state_words(const std::array<std::uint32_t, 4>& pool) {
  std::array<std::uint32_t, 8> words{};
  std::uint32_t constant = kInitB;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t value = pool[i % pool.size()] ^ constant;
    constant *= kMultiplyB;
    value *= constant;
    words[i] = value ^ (value >> 16);
  }
  std::array<std::uint64_t, 4> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = words[2 * i] | (static_cast<std::uint64_t>(words[2 * i + 1]) << 32);
  return result;
}

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) : pool_(seed_pool(seed)) {
  const auto words = state_words(pool_);
  const Wide multiplier = (static_cast<Wide>(kPcgMultiplyHigh) << 64) | kPcgMultiplyLow;
  increment_ = (((static_cast<Wide>(words[2]) << 64) | words[3]) << 1) | 1;
  state_ = increment_;
  state_ += (static_cast<Wide>(words[0]) << 64) | words[1];
  state_ = state_ * multiplier + increment_;
}

std::uint64_t NumpyRandom::next64() {
  const Wide multiplier = (static_cast<Wide>(kPcgMultiplyHigh) << 64) | kPcgMultiplyLow;
  state_ = state_ * multiplier + increment_;
  const auto value = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
  const auto rotation = static_cast<unsigned>(state_ >> 122);
  return (value >> rotation) | (value << ((64 - rotation) & 63));
}

std::uint32_t NumpyRandom::next32() {
  if (has_buffered_) {
    has_buffered_ = false;
    return buffered_;
  }
  const std::uint64_t value = next64();
  buffered_ = static_cast<std::uint32_t>(value >> 32);
  has_buffered_ = true;
  return static_cast<std::uint32_t>(value);
}

std::uint64_t NumpyRandom::below(std::uint64_t bound) {
  const std::uint64_t range = bound - 1;
  constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  if (range == 0) return 0;
  if (range == kMax32) return next32();
  if (range < kMax32) {
    std::uint64_t product = next32() * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint64_t threshold = (kMax32 - range) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = next32() * bound;
    }
    return product >> 32;
  }
  Wide product = static_cast<Wide>(next64()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (std::numeric_limits<std::uint64_t>::max() - range) % bound;
    while (static_cast<std::uint64_t>(product) < threshold)
      product = static_cast<Wide>(next64()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace deepinfer
