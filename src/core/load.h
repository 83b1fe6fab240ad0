#pragma once

// Reading numbers that lie at any address: a safetensors file does not align its tensors.

#include <cstring>

namespace deepinfer {

/// The T whose bytes begin at `from`. REQUIRES: sizeof(T) readable bytes.
template <typename T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace deepinfer
