#pragma once

// What an op costs by its declaration alone: the bytes it must move and the arithmetic it must do.
// For profiles, traces and bandwidth figures; nothing is measured here. Pure functions.
//
// Bytes: every operand read once and every result written once. A weight counts in its checkpoint
// bytes, scales included; a cache view counts only the records that the op reads or writes, not the
// column. Where that depends on the step's data (which experts are chosen, how long a sequence is,
// which rows are padding) the cost is the most that a step of this size can need. An op that runs
// in place moves the same bytes. Scratch memory is not counted.
//
// Flops: 2 for a multiply-add, 1 for any other operation, elementary functions included, that the
// op's formula does in floating point. Quantising, dequantising, rounding, comparing and clamping
// are not counted.

#include <cstdint>
#include <functional>

#include "graph/graph.h"

namespace deepinfer {

struct OpCost {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;

  bool operator==(const OpCost&) const = default;
};

/// How a plain weight lies in the checkpoint, which the graph does not say: bf16, f16 or f32.
using PlainDType = std::function<DType(const Value& weight)>;

/// Bytes of all tensors of `weight`, scales included (model specification 4.2 and 4.3).
std::int64_t weight_bytes(const Value& weight, const PlainDType& plain_dtype);

/// Without `plain_dtype` plain weights count as bf16.
OpCost op_cost(const Graph& graph, const Node& node, const PlainDType& plain_dtype = {});

}  // namespace deepinfer
