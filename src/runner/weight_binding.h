#pragma once

// From a graph's weight values to the checkpoint's tensors, used where they lie.

#include <vector>

#include "backend/tensor_ref.h"
#include "deepinfer/checkpoint.h"
#include "graph/value.h"

namespace deepinfer {

/// One ref per tensor of `value`. Throws Error (bad_input) naming the tensor if it is missing or
/// not of the format and shape the graph expects.
std::vector<WeightRef> bind_weight(const Checkpoint& checkpoint, const Value& value);

}  // namespace deepinfer
