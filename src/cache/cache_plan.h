#pragma once

// How many blocks and slots an engine gets, and the longest sequence they hold: computed from the
// config, the options and the memory at hand, before anything is allocated.

#include <cstdint>

#include "cache/cache_layout.h"

namespace deepinfer {

struct CachePlan {
  CacheGeometry geometry;
  std::int64_t max_context = 0;  ///< longest sequence, in tokens
};

/// Rows of the largest step: the prefill bucket or the largest batch.
int max_step_rows(const Options& options);

/// What a backend asks of the caches it is bound to.
struct CacheNeeds {
  bool typed_roots = false;  ///< see CacheGeometry
  bool whole_rows = false;   ///< a block's or slot's columns lie together unless the user says not
};

/// options.layout, or the graph mode's own: regions are bound to single columns, which layer_major
/// makes contiguous; block_major where the backend needs whole rows.
Layout layout_of(const Options& options, const CacheNeeds& needs = {});

/// `available` is available_memory(), a parameter so that tests can fake it. Throws Error
/// (bad_input) naming the option, with both numbers, when the request cannot be met.
CachePlan plan_caches(const ModelConfig& config, const Options& options, std::int64_t available,
                      const CacheNeeds& needs = {});

}  // namespace deepinfer
