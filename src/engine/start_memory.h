#pragma once

// The memory of a start: planned and refused before anything is taken, told by name afterwards.

#include "cache/cache_layout.h"
#include "deepinfer/start_memory.h"
#include "model/model.h"
#include "runner/capture_memory.h"

namespace deepinfer {

/// Parts known before the caches are allocated: both buffers, what steps work in, metadata. Throws
/// Error (bad_input) naming the parts with their bytes if they are more than `available` (the
/// memory that is free now).
StartMemory plan_start_memory(const Model& model, const Options& options, const CacheLayout& layout,
                              std::int64_t max_context, bool trace, std::int64_t available);

/// Adds what only a started model shows: tokenizer, n-gram map, graphs and other small objects
/// (`heap` bytes are in use), and the program itself.
void add_program_parts(StartMemory& memory, std::int64_t heap, int threads);

/// What steps may work in, beside the caches, under `available`.
std::int64_t work_limit(const StartMemory& memory, std::int64_t available);

}  // namespace deepinfer
