#pragma once

// Bytes that no step may read, made impossible to read unnoticed: cache rows that no live sequence
// owns become NaN in every format, host metadata becomes indices far outside everything.

#include "engine/runtime.h"
#include "engine/sequence_cache.h"
#include "runner/input_metadata.h"

namespace deepinfer {

/// All rows of all roots. For caches that no sequence uses yet.
void poison_caches(KvCaches& caches);
/// The rows that `sequence` is about to give back.
void poison_rows(KvCaches& caches, const SequenceCache& sequence);
/// The block and the slot that padding rows own.
void poison_scratch(KvCaches& caches);
/// Every field that a caller fills, block table rows of other slots included.
void poison_metadata(const Runtime& runtime, InputMetadata& input);

}  // namespace deepinfer
