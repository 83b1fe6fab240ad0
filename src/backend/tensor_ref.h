#pragma once

// Where a value's bytes lie. Non-owning, trivially copyable.

#include <cstddef>
#include <cstdint>

#include "core/shape.h"
#include "deepinfer/dtype.h"
#include "graph/value.h"

namespace deepinfer {

/// An activation, metadata buffer or cache view. Rows (axis 0) may be further apart than they are
/// long (views); inside a row elements are contiguous.
struct TensorRef {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  Shape shape;
  std::int64_t row_bytes = 0;

  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  /// Row `index` of axis 0.
  template <typename T>
  T* row(std::int64_t index) const {
    return reinterpret_cast<T*>(data + index * row_bytes);
  }
};

/// One checkpoint tensor [out, in] (or a vector [n]) as it lies in the file.
struct WeightRef {
  WeightFormat format = WeightFormat::plain;
  DType dtype = DType::bf16;  ///< of a plain weight: bf16, f16 or f32
  Shape shape;                ///< logical: FP4 counts values, not bytes
  const std::byte* data = nullptr;
  const std::uint8_t* scales =
      nullptr;  ///< E8M0; fp8: [ceil(out/32), ceil(in/32)], fp4: [out, in/32]

  /// The tensor's bytes. They may begin at any address: read wider elements with load().
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(data); }
};

}  // namespace deepinfer
