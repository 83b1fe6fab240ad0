#pragma once

// The inner steps of hc_mix, apart so that tests can feed them the specification's numbers.

#include <cstdint>

#include "backend/tensor_ref.h"
#include "graph/ops/hc_mix.h"

namespace deepinfer::reference {

/// Row softmax plus eps, column step, then iterations - 1 times row step and column step, in place
/// on comb [n, n] row-major. Model specification 2.4, step 5.
void sinkhorn(double* comb, std::int64_t n, int iterations, double eps);

struct MixResult {
  float* pre;   ///< [hc]
  float* post;  ///< [hc]
  float* comb;  ///< [hc, hc]
};

/// Steps 4 and 5 of 2.4 from the mixes m [(2 + hc) * hc]; `comb` is scratch [hc, hc].
void hc_split(const HcMix& op, const double* m, const WeightRef& scale, const WeightRef& base,
              std::int64_t hc, double* comb, const MixResult& result);

}  // namespace deepinfer::reference
