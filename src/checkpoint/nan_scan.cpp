#include "checkpoint/nan_scan.h"

#include <algorithm>

namespace deepinfer {
namespace {

constexpr std::size_t kStretch = 4096;  // bytes tested at once, in a loop the compiler vectorises

/// A byte is NaN if all bits of `mask` are set.
NanCodes find(std::span<const std::byte> data, std::byte mask) {
  NanCodes found;
  for (std::size_t start = 0; start < data.size(); start += kStretch) {
    const std::size_t end = std::min(data.size(), start + kStretch);
    std::uint32_t hits = 0;
    for (std::size_t i = start; i < end; ++i) hits += (data[i] & mask) == mask ? 1U : 0U;
    if (hits == 0) continue;
    if (found.count == 0) {
      found.first = start;
      while ((data[found.first] & mask) != mask) ++found.first;
    }
    found.count += hits;
  }
  return found;
}

}  // namespace

bool has_nan_codes(DType type) { return type == DType::f8_e4m3 || type == DType::f8_e8m0; }

NanCodes find_nan_codes(DType type, std::span<const std::byte> data) {
  return find(data, type == DType::f8_e4m3 ? std::byte{0x7f} : std::byte{0xff});
}

}  // namespace deepinfer
