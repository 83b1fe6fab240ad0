#include "runner/step_caches.h"

#include "backend/backend.h"

namespace deepinfer {

CachePlan plan_step_caches(const ModelConfig& config, const Options& options,
                           std::int64_t available) {
  return plan_caches(config, options, available, cache_needs(options));
}

}  // namespace deepinfer
