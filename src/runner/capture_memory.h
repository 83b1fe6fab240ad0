#pragma once

// What a capture will take, before it takes it.

#include <cstdint>

#include "cache/cache_layout.h"
#include "deepinfer/options.h"
#include "model/model.h"
#include "runner/step_compiler.h"

namespace deepinfer {

struct CaptureMemory {
  GraphMode mode = GraphMode::whole;  ///< of the largest step, if memory alone decides
  std::int64_t work_bytes = 0;        ///< arena of all steps; eager: results of all steps
  std::int64_t metadata_bytes = 0;    ///< host and device
};

/// `limit`: bytes that work and metadata may take together; it decides what --fullgraph false falls
/// back to. The rest are the arguments of the capture. Throws Error.
CaptureMemory plan_capture_memory(const Model& model, const Options& options,
                                  const CacheLayout& layout, std::int64_t max_context, bool trace,
                                  std::int64_t limit = StepCompiler::kNoLimit);

}  // namespace deepinfer
