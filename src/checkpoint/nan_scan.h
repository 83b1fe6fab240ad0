#pragma once

// Finds bytes that decode to NaN in stored FP8 and E8M0 tensors. Pure functions; they read every
// byte.

#include <cstddef>
#include <cstdint>
#include <span>

#include "deepinfer/dtype.h"

namespace deepinfer {

struct NanCodes {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< element index of the first one, if count > 0
};

/// Whether the type has NaN codes that find_nan_codes() knows.
bool has_nan_codes(DType type);

/// E4M3: 0x7f and 0xff. E8M0: 255. REQUIRES: has_nan_codes(type).
NanCodes find_nan_codes(DType type, std::span<const std::byte> data);

}  // namespace deepinfer
