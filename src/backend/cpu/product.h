#pragma once

// Running a product of the instruction set over a checkpoint weight, and sharing it among threads.

#include <cstdint>
#include <utility>

#include "backend/cpu/isa/product_functions.h"
#include "backend/cpu/product_inputs.h"
#include "backend/host/kernel.h"

namespace deepinfer::cpu {

/// Some outputs of a weight for some prepared inputs; see Product for the meaning of the fields.
struct ProductPart {
  Range outputs;
  InputSet inputs;
  float* out;
  std::int64_t out_stride;
  NextPanel next = {};  ///< that the thread reads after these outputs
};

/// The rows of a weight from `output` on; nowhere behind its last.
NextPanel panel_at(const WeightRef& weight, std::int64_t output);

void multiply(const ProductFunctions& isa, const WeightRef& weight, const ProductPart& part);

/// Calls body(begin, end, member) over [0, outputs) in parts that begin at multiples of `grain`, on
/// all threads if the op's multiply-adds are worth it. `multiply_adds` must depend on static shapes
/// only, so that a graph runs the same way every time; results never depend on the split.
template <typename Body>
void split_outputs(host::KernelContext& context, std::int64_t outputs, std::int64_t grain,
                   std::int64_t multiply_adds, Body&& body) {
  // A thread does some 10 of them in a nanosecond; waking the others takes a few microseconds.
  constexpr std::int64_t kSmallProduct = 65536;
  if (context.pool.size() == 1 || multiply_adds < kSmallProduct)
    body(std::int64_t{0}, outputs, 0);
  else
    context.pool.parallel_for(outputs, grain, std::forward<Body>(body));
}

/// Outputs per grain: a cache line of results.
inline constexpr std::int64_t kOutputGrain = 16;

}  // namespace deepinfer::cpu
