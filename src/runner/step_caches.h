#pragma once

// The caches of a run, planned for the backend that will be bound to them.

#include "cache/cache_plan.h"

namespace deepinfer {

/// plan_caches() with the needs of the backend that `options` ask for.
CachePlan plan_step_caches(const ModelConfig& config, const Options& options,
                           std::int64_t available);

}  // namespace deepinfer
