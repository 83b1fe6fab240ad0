#pragma once

// Types of tensors on a device, with names for errors. Plain values, row-major.

#include <cstddef>
#include <string>

#include "backend/pjrt/stablehlo/element_type.h"

namespace deepinfer::pjrt {

struct TensorType {
  Element type = Element::f32;
  Dims dims;  ///< none: a scalar

  /// Bytes on the host. An element of less than a byte takes a whole one there.
  std::size_t bytes() const {
    const int element_bytes = (bits_of(type) + 7) / 8;
    return static_cast<std::size_t>(elements_of(dims)) * static_cast<std::size_t>(element_bytes);
  }
  std::string text() const { return tensor_type(type, dims); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// A parameter or result of a program, or what lies in a buffer.
struct NamedType {
  std::string name;
  TensorType type;
};

}  // namespace deepinfer::pjrt
