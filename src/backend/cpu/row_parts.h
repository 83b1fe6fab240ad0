#pragma once

// What one row of an op is, for the ops that the pass `fuse` joins as well: the joined op gives the
// bits of the two because it is made of the same functions.

#include <cstdint>

#include "backend/host/kernel.h"

namespace deepinfer::cpu {

/// REQUIRES: `to` is not part of `streams` [count, width].
void collapse_row(const HcCollapse& op, const float* streams, const float* pre, std::int64_t count,
                  std::int64_t width, float* to);

/// `weight`: widened, [width]. `to` may be `from`.
void norm_row(const RmsNorm& op, const float* weight, const float* from, std::int64_t width,
              float* to);

/// Turns rows of heads; lives in a workspace of bytes(op).
class HeadRotation {
 public:
  static std::size_t bytes(const Rope& op);
  HeadRotation(const Rope& op, std::byte* workspace);

  /// Rotates the heads of `row` [width] in place.
  void rotate(std::int32_t position, std::int64_t width, float* row) const;

 private:
  void fill_angles(float position) const;

  const Rope& op_;
  float* cosines_;  // of the row at hand, one per pair
  float* sines_;
};

}  // namespace deepinfer::cpu
