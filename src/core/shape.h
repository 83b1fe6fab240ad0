#pragma once

// A tensor's extents, row-major. Small fixed capacity: shapes are copied into kernels' hot paths.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace deepinfer {

class Shape {
 public:
  static constexpr std::size_t kMaxRank = 4;  // the widest activation is [rows, streams, streams]

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents) {
    for (std::int64_t extent : extents) extents_.at(rank_++) = extent;
  }

  std::size_t rank() const { return rank_; }
  std::int64_t operator[](std::size_t axis) const { return extents_[axis]; }
  std::int64_t back() const { return extents_[rank_ - 1]; }

  std::int64_t elements() const {
    std::int64_t product = 1;
    for (std::size_t axis = 0; axis < rank_; ++axis) product *= extents_[axis];
    return product;
  }

  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (std::size_t axis = 0; axis < rank_; ++axis)
      if (extents_[axis] != other.extents_[axis]) return false;
    return true;
  }

  /// "[8, 192]"
  std::string to_string() const {
    std::string text = "[";
    for (std::size_t axis = 0; axis < rank_; ++axis)
      text += (axis == 0 ? "" : ", ") + std::to_string(extents_[axis]);
    return text + "]";
  }

 private:
  std::array<std::int64_t, kMaxRank> extents_{};
  std::size_t rank_ = 0;
};

}  // namespace deepinfer
