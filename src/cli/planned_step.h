#pragma once

// A step as a capture would build it, for sections of `inspect`: nothing is allocated or run.

#include <map>
#include <string>

#include "backend/pjrt/facts/device_facts.h"
#include "cache/cache_plan.h"
#include "deepinfer/checkpoint.h"
#include "deepinfer/options.h"
#include "graph/graph.h"

namespace deepinfer::cli {

/// The graph that a capture of `rows` rows would build, and the caches it would stand on.
struct PlannedStep {
  /// Throws Error (bad_input) if no step has so many rows.
  PlannedStep(const ModelConfig& config, const Options& options, int rows);

  CachePlan caches;
  CacheLayout layout;
  Graph graph;
};

/// `options` for a backend over a plug-in of that family: what its caches are planned by.
Options options_for(const Options& options, const pjrt::DeviceFacts& facts);

/// Element types that the config calls for, for modules that are made without a checkpoint.
class WeightTypes {
 public:
  explicit WeightTypes(const ModelConfig& config);
  DType of(const Value& weight) const;

 private:
  std::map<std::string, DType> types_;
};

}  // namespace deepinfer::cli
