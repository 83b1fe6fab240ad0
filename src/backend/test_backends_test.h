#pragma once

// The backends that this machine can run, for tests that are run on each, and how close to exact
// results each must come.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace deepinfer {

/// "reference", then "scalar", "avx2" and "avx512" (the cpu backend) as far as the machine has
/// them.
std::vector<std::string> backend_names();

/// REQUIRES: one of backend_names(). The reference backend ignores `threads`.
std::unique_ptr<Backend> backend_named(const std::string& name, int threads = 2);

/// Allowed distance from an exact result, relative to the largest element. The reference sums in
/// double and rounds once (2e-6, the goldens' own figure); cpu sums in fp32.
double tolerance_of(const std::string& backend);
/// The same for results rounded to bf16: where the sum before differs, one rounding may go the
/// other way (one unit in the last of bf16's 8 bits).
double bf16_tolerance_of(const std::string& backend);

/// Whether all elements are within `tolerance` times the largest expected magnitude; a NaN is not.
testing::AssertionResult is_close(const std::vector<float>& actual,
                                  const std::vector<float>& expected, double tolerance);

}  // namespace deepinfer
