#pragma once

// What one row of an op is, for the ops that the pass `fuse` joins as well: the joined op gives the
// bits of the two because it is made of the same functions. `from` and `to` may be the same row.

#include "backend/tensor_ref.h"
#include "graph/op.h"

namespace deepinfer::reference {

void collapse_row(const HcCollapse& op, const float* streams, const float* pre, std::int64_t count,
                  std::int64_t width, float* to);
void norm_row(const RmsNorm& op, const WeightRef& weight, const float* from, std::int64_t width,
              float* to);
/// Rotates the heads of `row` in place.
void rotate_row(const Rope& op, std::int32_t position, std::int64_t width, float* row);
/// Puts `from` into the form that dot_row reads, in `input` [width].
void prepare_input(const Linear& op, const float* from, std::int64_t width, float* input);
/// `to` [outputs of the weight] from a prepared input.
void linear_row(const Linear& op, const WeightRef& weight, const float* input, float* to);

}  // namespace deepinfer::reference
